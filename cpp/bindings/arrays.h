// Arrays that go to Python: allocated here, owned by numpy afterwards.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <initializer_list>

namespace tengen {

template <class T>
using Array = nanobind::ndarray<nanobind::numpy, T, nanobind::c_contig>;

template <class T>
Array<T> new_array(std::initializer_list<std::size_t> shape) {
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  auto* data = new T[size]();
  nanobind::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return Array<T>(data, shape, owner);
}

}  // namespace tengen
