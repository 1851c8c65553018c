// The interpreter's lock: let go during long work, taken back afterwards.
//
// Python ends a thread that wants the lock during shutdown by pthread_exit, which unwinds the stack; C++ must not be
// unwound through a destructor, and aborts. So a thread that wants the lock once shutdown has begun sleeps instead,
// until the process is gone. Only daemon threads are ever in that place: Python waits for all others first.
#pragma once

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace tengen {

// Whether shutdown has begun, and how many threads hold the lock for C++ or are about to take it.
struct Shutdown {
  static inline std::atomic<bool> begun{false};
  static inline std::atomic<int> wanting{0};

  static void want() {
    wanting.fetch_add(1);
    if (!begun.load()) return;
    wanting.fetch_sub(1);
    while (true) pause();
  }
  static void have_done() { wanting.fetch_sub(1); }

  // Called by atexit, with the lock. Gives threads that wanted it before a moment to get it.
  static void begin() {
    begun.store(true);
    const nanobind::gil_scoped_release release;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    while (wanting.load() > 0 && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
};

// Lets go of the lock for as long as it lives.
class WithoutGil {
 public:
  WithoutGil() : thread_(PyEval_SaveThread()) {}
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;
  ~WithoutGil() {
    Shutdown::want();
    PyEval_RestoreThread(thread_);
    Shutdown::have_done();
  }

 private:
  PyThreadState* thread_;
};

// Has the lock for as long as it lives, whether the thread had it before or not.
class WithGil {
 public:
  WithGil() : had_it_(PyGILState_Check() != 0) {
    if (had_it_) return;
    Shutdown::want();
    state_ = PyGILState_Ensure();
  }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;
  ~WithGil() {
    if (had_it_) return;
    PyGILState_Release(state_);
    Shutdown::have_done();
  }

 private:
  bool had_it_;
  PyGILState_STATE state_{};
};

}  // namespace tengen
