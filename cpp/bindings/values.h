// Small conversions between C++ and Python values that several binding files share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include <optional>
#include <string>

#include "tengen/games/game.h"

namespace tengen {

template <class T>
using Tuple = nanobind::typed<nanobind::tuple, T, nanobind::ellipsis>;

template <class T, class Items>
Tuple<T> to_tuple(const Items& items) {
  nanobind::list list;
  for (const auto& item : items) list.append(item);
  return nanobind::borrow<Tuple<T>>(nanobind::tuple(list));
}

using OptionsDict = nanobind::typed<nanobind::dict, std::string, OptionValue>;

// Every option with its value, in order.
inline OptionsDict options_dict(const GameSpec& spec) {
  nanobind::dict options;
  for (const auto& [name, value] : spec.options) options[name.c_str()] = nanobind::cast(value);
  return nanobind::borrow<OptionsDict>(options);
}

// As Python writes a text.
inline std::string quoted(const std::string& text) {
  return nanobind::cast<std::string>(nanobind::repr(nanobind::str(text.data(), text.size())));
}

// As Python writes a number that may be missing.
inline std::string optional_text(const std::optional<int>& value) { return value ? std::to_string(*value) : "None"; }

}  // namespace tengen
