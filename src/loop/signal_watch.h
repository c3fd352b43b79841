#pragma once

#include <functional>

#include "loop/handle.h"

namespace orch::loop {

class Loop;

// Calls on_signal(signum) from the loop for every signal with this number, as long as it lives;
// several signals that arrive together may be reported as one. A signal watch alone does not keep
// Loop::run() running.
class SignalWatch {
 public:
  SignalWatch(Loop& loop, int signum, std::function<void(int)> on_signal);

  void keep_running();  // from now on this watch keeps run() running

 private:
  static void on_delivery(uv_signal_s* handle, int signum) noexcept;

  HandlePtr<uv_signal_s> handle_;
  std::function<void(int)> on_signal_;
};

}  // namespace orch::loop
