// Ctrl-C during a long computation that has let go of the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>

#include "bindings/gil.h"

namespace tengen {

// Called often while C++ works; every tenth of a second it lets Python run its signal handlers, and passes on what they
// raise. Not more often: with other Python threads about, getting the GIL may take longer than the work between.
class Interrupt {
 public:
  void operator()() {
    if (++calls_ % kCallsPerLook != 0) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    const WithGil gil;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  }

 private:
  static constexpr unsigned kCallsPerLook = 64;  // the clock itself takes time
  unsigned calls_ = 0;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace tengen
