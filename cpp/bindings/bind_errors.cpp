// Every C++ error of base/error.h as a Python exception of the same name; all are TengenError, and so ValueError.
#include <nanobind/stl/string.h>

#include <string_view>

#include "bindings/bindings.h"
#include "tengen/base/error.h"

namespace nb = nanobind;

namespace tengen {

namespace {

// nb::exception, but for a sentence that quotes a text cut in the middle of a character.
template <class E>
nb::object add_error(nb::module_& module, const char* name, const char* doc, nb::handle base) {
  const std::string full_name = nb::cast<std::string>(module.attr("__name__")) + "." + name;
  const nb::object type = nb::steal(PyErr_NewExceptionWithDoc(full_name.c_str(), doc, base.ptr(), nullptr));
  module.attr(name) = type;
  nb::register_exception_translator(
      [](const std::exception_ptr& thrown, void* python_type) {
        try {
          std::rethrow_exception(thrown);
        } catch (const E& error) {
          const std::string_view sentence = error.what();
          const nb::object text = nb::steal(
              PyUnicode_DecodeUTF8(sentence.data(), static_cast<Py_ssize_t>(sentence.size()), "backslashreplace"));
          PyErr_SetObject(static_cast<PyObject*>(python_type), text.ptr());
        }
      },
      type.ptr());
  return type;
}

}  // namespace

void bind_errors(nb::module_& module) {
  const nb::object base = add_error<Error>(module, "TengenError", "Any error of tengen's own.", PyExc_ValueError);
  add_error<UnknownGameError>(module, "UnknownGameError", "No game of that name.", base);
  add_error<GameOptionError>(module, "GameOptionError", "No such option, or a value out of its range.", base);
  add_error<IllegalActionError>(module, "IllegalActionError", "The rules do not allow this action here.", base);
  add_error<ActionTextError>(module, "ActionTextError", "A text that names no action of this game.", base);
  add_error<BoardTextError>(module, "BoardTextError", "A drawing that is not a board of this game.", base);
  add_error<ArgumentError>(module, "ArgumentError", "A number, count or shape that the function cannot use.", base);
  const nb::object rules =
      add_error<RulesError>(module, "RulesError", "A game written by a user broke its promise.", base);
  add_error<NoLegalActionError>(module, "NoLegalActionError", "Rules allow no action in a game that goes on.", rules);
  add_error<EvaluatorError>(module, "EvaluatorError", "An evaluator answered with numbers no search can use.", base);
  add_error<SearchParamError>(module, "SearchParamError", "No such search parameter, or a value out of its range.",
                              base);
  add_error<InUseError>(module, "InUseError", "Another thread is using an object that is for one thread at a time.",
                        base);
  add_error<RecordError>(module, "RecordError", "A record that can't have come about, or a file that is damaged.",
                         base);
}

}  // namespace tengen
