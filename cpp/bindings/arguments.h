// What Python may pass where a function expects a number or a text: any integer, numpy's too and however large, and any
// str, even one that is no valid Unicode. So the functions themselves can say, in their own words, what is wrong with
// it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <limits>
#include <string>
#include <variant>

namespace tengen {

struct Integer {
  std::int64_t value = 0;  // the nearest there is to the given one
};
struct Seed {
  std::uint64_t value = 0;  // the lowest 64 bits of the given one
};
struct Text {
  std::string value;
};
using ActionOrText = std::variant<Integer, Text>;

}  // namespace tengen

namespace nanobind::detail {

// A new reference to the Python int that `source` stands for, or null.
inline PyObject* to_python_int(handle source) noexcept {
  PyObject* number = PyIndex_Check(source.ptr()) != 0 ? PyNumber_Index(source.ptr()) : nullptr;
  if (number == nullptr) PyErr_Clear();
  return number;
}

template <>
struct type_caster<tengen::Integer> {
  NB_TYPE_CASTER(tengen::Integer, const_name("int"))

  bool from_python(handle source, std::uint8_t /*flags*/, cleanup_list* /*cleanup*/) noexcept {
    PyObject* number = to_python_int(source);
    if (number == nullptr) return false;
    int overflow = 0;
    value.value = PyLong_AsLongLongAndOverflow(number, &overflow);
    if (overflow > 0) value.value = std::numeric_limits<std::int64_t>::max();
    if (overflow < 0) value.value = std::numeric_limits<std::int64_t>::min();
    Py_DECREF(number);
    return true;
  }
};

template <>
struct type_caster<tengen::Seed> {
  NB_TYPE_CASTER(tengen::Seed, const_name("int"))

  bool from_python(handle source, std::uint8_t /*flags*/, cleanup_list* /*cleanup*/) noexcept {
    PyObject* number = to_python_int(source);
    if (number == nullptr) return false;
    value.value = PyLong_AsUnsignedLongLongMask(number);
    Py_DECREF(number);
    return true;
  }
};

template <>
struct type_caster<tengen::Text> {
  NB_TYPE_CASTER(tengen::Text, const_name("str"))

  bool from_python(handle source, std::uint8_t /*flags*/, cleanup_list* /*cleanup*/) noexcept {
    if (PyUnicode_Check(source.ptr()) == 0) return false;
    PyObject* bytes = PyUnicode_AsEncodedString(source.ptr(), "utf-8", "backslashreplace");
    if (bytes == nullptr) {
      PyErr_Clear();
      return false;
    }
    value.value.assign(PyBytes_AS_STRING(bytes), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes)));
    Py_DECREF(bytes);
    return true;
  }

  static handle from_cpp(const tengen::Text& text, rv_policy /*policy*/, cleanup_list* /*cleanup*/) noexcept {
    return PyUnicode_DecodeUTF8(text.value.data(), static_cast<Py_ssize_t>(text.value.size()), "replace");
  }
};

}  // namespace nanobind::detail
