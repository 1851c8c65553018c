// Options of a game: declared once beside the game's entry in registry.h, checked here, printed back into the spec.
// Every option is a number; an integer or a flag is a number with fewer allowed values.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tengen/base/error.h"
#include "tengen/games/game.h"

namespace tengen {

struct OptionSpec {
  enum class Kind { kInteger, kNumber, kFlag };
  std::string name;
  Kind kind;
  double default_value;
  double lowest;
  double highest;
  std::string help;
};

inline OptionSpec integer_option(std::string name, int value, int lowest, int highest, std::string help) {
  return {std::move(name), OptionSpec::Kind::kInteger, double(value), double(lowest), double(highest), std::move(help)};
}
inline OptionSpec number_option(std::string name, double value, double lowest, double highest, std::string help) {
  return {std::move(name), OptionSpec::Kind::kNumber, value, lowest, highest, std::move(help)};
}
inline OptionSpec flag_option(std::string name, bool value, std::string help) {
  return {std::move(name), OptionSpec::Kind::kFlag, value ? 1.0 : 0.0, 0.0, 1.0, std::move(help)};
}

// A number as people write it: 9, 7.5.
inline std::string number_text(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return std::to_string(static_cast<long long>(value));
  std::array<char, 32> text{};  // the shortest text that reads back as the same number
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

// An option as a call of load() has it: 9, 7.5, True.
inline std::string option_text(const OptionValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "True" : "False";
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  return number_text(std::get<double>(value));
}

// "size=9, komi=7.5"
inline std::string options_text(const OptionValues& values) {
  std::string text;
  for (const auto& [name, value] : values) text += (text.empty() ? "" : ", ") + name + "=" + option_text(value);
  return text;
}

// The values of all options of one game: those given, and the defaults of the others.
class Options {
 public:
  Options(const std::string& game, const std::vector<OptionSpec>& specs, const std::map<std::string, double>& given) {
    for (const auto& spec : specs) {
      const auto found = given.find(spec.name);
      const double value = found == given.end() ? spec.default_value : found->second;
      check(game, spec, value);
      numbers_[spec.name] = value;
      values_.emplace_back(spec.name, typed(spec.kind, value));
    }
    for (const auto& [name, value] : given) {
      if (numbers_.contains(name)) continue;
      std::string known;
      for (const auto& spec : specs) known += (known.empty() ? "" : ", ") + spec.name;
      throw GameOptionError(game + " has no option '" + name + "'; " +
                            (known.empty() ? "it takes none." : "its options are: " + known + "."));
    }
  }

  int integer(const std::string& name) const { return static_cast<int>(numbers_.at(name)); }
  double number(const std::string& name) const { return numbers_.at(name); }
  bool flag(const std::string& name) const { return numbers_.at(name) != 0.0; }
  const OptionValues& values() const { return values_; }

 private:
  static void check(const std::string& game, const OptionSpec& spec, double value) {
    const bool whole = value == std::floor(value);
    const bool in_range = value >= spec.lowest && value <= spec.highest;  // false for NaN
    if (in_range && (whole || spec.kind == OptionSpec::Kind::kNumber)) return;
    const std::string what = spec.kind == OptionSpec::Kind::kFlag      ? "True or False"
                             : spec.kind == OptionSpec::Kind::kInteger ? "a whole number"
                                                                       : "a number";
    const std::string range = spec.kind == OptionSpec::Kind::kFlag
                                  ? ""
                                  : " from " + number_text(spec.lowest) + " to " + number_text(spec.highest);
    throw GameOptionError(game + ": " + spec.name + " must be " + what + range + ", not " +
                          (std::isfinite(value) ? number_text(value) : "that") + ".");
  }

  static OptionValue typed(OptionSpec::Kind kind, double value) {
    if (kind == OptionSpec::Kind::kFlag) return value != 0.0;
    if (kind == OptionSpec::Kind::kInteger) return static_cast<std::int64_t>(value);
    return value;
  }

  std::map<std::string, double> numbers_;  // by name
  OptionValues values_;                    // in order
};

}  // namespace tengen
