#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>

#include "base/fd.h"
#include "loop/fd_watch.h"
#include "loop/signal_watch.h"

namespace orch::loop {

class Loop;

// Tells, once, that a child of this process has ended. The child is left a zombie: its owner reaps
// it, and until then its pid names nobody else. Waits on a pidfd; where the system gives none, on
// SIGCHLD. Keeps Loop::run() running until then.
class ChildWatch {
 public:
  ChildWatch(Loop& loop, pid_t pid, std::function<void()> on_ended);
  ~ChildWatch();
  ChildWatch(const ChildWatch&) = delete;
  ChildWatch& operator=(const ChildWatch&) = delete;

 private:
  void check();

  Loop& loop_;
  pid_t pid_;
  std::function<void()> on_ended_;
  base::Fd pidfd_;
  std::unique_ptr<FdWatch> on_pidfd_;
  std::unique_ptr<SignalWatch> on_sigchld_;
};

}  // namespace orch::loop
