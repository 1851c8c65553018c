// Objects that one thread at a time may use: a second thread is refused instead of spoiling what the first one does.
#pragma once

#include <atomic>

#include "bindings/gil.h"
#include "tengen/base/error.h"

namespace tengen {

class OneThread {
 public:
  explicit OneThread(const char* refusal) : refusal_(refusal) {}

  // For a look while the interpreter's lock is held: nobody can start to work meanwhile.
  void check() const {
    if (busy_) throw InUseError(refusal_);
  }

  // Runs `work` without the interpreter's lock, and refuses other threads meanwhile.
  template <class Work>
  auto alone(Work&& work) {
    if (busy_.exchange(true)) throw InUseError(refusal_);
    struct Done {
      std::atomic<bool>& busy;
      ~Done() { busy = false; }
    } done{busy_};
    const WithoutGil release;
    return work();
  }

 private:
  const char* refusal_;  // the sentence of the error
  std::atomic<bool> busy_{false};
};

}  // namespace tengen
