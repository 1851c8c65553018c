// SearchParams: the table of search/params.h as a Python class, every value checked by its range.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>
#include <type_traits>

#include "bindings/arguments.h"
#include "bindings/bindings.h"
#include "tengen/base/error.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace tengen {
namespace {

template <class T>
std::vector<std::pair<std::string, T>> enum_names();
template <>
std::vector<std::pair<std::string, Selection>> enum_names() {
  return {{"puct", Selection::kPuct}, {"uct", Selection::kUct}, {"gumbel", Selection::kGumbel}};
}
template <>
std::vector<std::pair<std::string, UnvisitedValue>> enum_names() {
  return {{"parent", UnvisitedValue::kParent}, {"zero", UnvisitedValue::kZero}};
}

// What Python reads for a parameter: str, int, bool or float.
template <class T>
auto to_python(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    std::string text;
    for (const auto& [name, entry] : enum_names<T>()) {
      if (entry == value) text = name;
    }
    return text;
  } else if constexpr (std::is_same_v<T, float>) {
    // The shortest decimal that is this float, so that 0.2F reads 0.2.
    return std::stod(nb::cast<std::string>(nb::str("{:.7g}").attr("format")(static_cast<double>(value))));
  } else {
    return value;
  }
}

template <class T>
void from_python(const char* name, nb::handle given, double lowest, double highest, T& value) {
  const auto refuse = [&](const std::string& wanted) {
    throw SearchParamError(std::string(name) + " must be " + wanted + ", not " +
                           nb::cast<std::string>(nb::repr(given)) + ".");
  };
  if constexpr (std::is_enum_v<T>) {
    std::string known;
    for (const auto& [text, entry] : enum_names<T>()) {
      if (nb::isinstance<nb::str>(given) && nb::cast<Text>(given).value == text) {
        value = entry;
        return;
      }
      known += (known.empty() ? "'" : " or '") + text + "'";
    }
    refuse(known);
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!nb::isinstance<nb::bool_>(given)) refuse("True or False");
    value = nb::cast<bool>(given);
  } else {
    constexpr bool kWhole = std::is_integral_v<T>;
    const std::string range = (kWhole ? "a whole number from " : "a number from ") +
                              std::to_string(static_cast<long long>(lowest)) + " to " +
                              std::to_string(static_cast<long long>(highest));
    double number = std::numeric_limits<double>::quiet_NaN();
    if (nb::isinstance<nb::bool_>(given) || !nb::try_cast<double>(given, number)) refuse(range);
    if (!(number >= lowest && number <= highest) || (kWhole && number != std::floor(number))) refuse(range);
    value = static_cast<T>(number);
  }
}

void set_params(SearchParams& params, const nb::kwargs& given) {
  for (const auto& argument : given) {
    const std::string wanted = nb::cast<Text>(argument.first).value;
    bool found = false;
    for_each_param([&](const char* name, auto member, double lowest, double highest, const char*) {
      if (wanted != name) return;
      found = true;
      from_python(name, argument.second, lowest, std::min(highest, 2147483647.0), params.*member);
    });
    if (!found) throw SearchParamError("There is no search parameter called '" + wanted + "'.");
  }
}

std::string params_repr(const SearchParams& params) {
  const SearchParams defaults;
  std::string text;
  for_each_param([&](const char* name, auto member, double, double, const char*) {
    if (params.*member == defaults.*member) return;
    text += (text.empty() ? "" : ", ") + std::string(name) + "=" +
            nb::cast<std::string>(nb::repr(nb::cast(to_python(params.*member))));
  });
  return "SearchParams(" + text + ")";
}

struct ParamSpec {
  std::string name;
  nb::object default_value;
  double lowest;
  double highest;
  std::vector<std::string> choices;
  std::string help;
};

std::vector<ParamSpec> param_specs() {
  std::vector<ParamSpec> specs;
  const SearchParams defaults;
  for_each_param([&](const char* name, auto member, double lowest, double highest, const char* help) {
    using T = std::remove_cvref_t<decltype(defaults.*member)>;
    ParamSpec& spec =
        specs.emplace_back(ParamSpec{name, nb::cast(to_python(defaults.*member)), lowest, highest, {}, help});
    if constexpr (std::is_enum_v<T>) {
      for (const auto& [text, entry] : enum_names<T>()) spec.choices.push_back(text);
    }
  });
  return specs;
}

}  // namespace

void bind_params(nb::module_& module) {
  nb::class_<ParamSpec>(module, "ParamSpec", "One search parameter.")
      .def_ro("name", &ParamSpec::name)
      .def_ro("default", &ParamSpec::default_value)
      .def_ro("lowest", &ParamSpec::lowest)
      .def_ro("highest", &ParamSpec::highest)
      .def_ro("choices", &ParamSpec::choices)
      .def_ro("help", &ParamSpec::help)
      .def("__repr__", [](const ParamSpec& self) {
        return "<ParamSpec " + self.name + "=" + nb::cast<std::string>(nb::repr(self.default_value)) + ": " +
               self.help + ">";
      });
  module.def("param_specs", &param_specs, "Every search parameter with its default, range and origin.");

  auto params = nb::class_<SearchParams>(module, "SearchParams",
                                         "Every number the search uses. It never changes: any thread may use it.");
  params
      .def(
          "__init__",
          [](SearchParams* self, const nb::kwargs& given) {
            SearchParams made;
            set_params(made, given);
            new (self) SearchParams(made);
          },
          nb::sig("def __init__(self, **parameters: object) -> None"))
      .def(
          "replace",
          [](const SearchParams& self, const nb::kwargs& given) {
            SearchParams changed = self;
            set_params(changed, given);
            return changed;
          },
          nb::sig("def replace(self, **parameters: object) -> SearchParams"),
          "The same parameters but for those given.")
      .def(
          "__eq__", [](const SearchParams& self, const SearchParams& other) { return self == other; },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const SearchParams& self) { return nb::hash(nb::str(params_repr(self).c_str())); })
      .def("__repr__", &params_repr)
      .def_prop_ro(
          "samples_moves", [](const SearchParams& self) { return samples_moves(self.selection); },
          "Whether the best action of a search with noise is a sample already, so that self-play draws none itself.")
      .def_prop_ro(
          "needs_budget", [](const SearchParams& self) { return needs_budget(self.selection); },
          "Whether the course of a search depends on how many simulations it will have.");
  for_each_param([&](const char* name, auto member, double, double, const char* help) {
    params.def_prop_ro(name, [member](const SearchParams& self) { return to_python(self.*member); }, help);
  });
}

}  // namespace tengen
