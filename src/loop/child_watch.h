#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>

#include "loop/signal_watch.h"
#include "loop/watched_fd.h"

namespace orch::loop {

class Loop;

// Whether a child of this process has ended and can be reaped. It is left a zombie.
bool has_ended(pid_t pid);

// Tells, once, that a child of this process has ended. The child is left a zombie: its owner reaps
// it, and until then its pid names nobody else. Waits on a pidfd; where the system gives none, or
// the child is a zombie that its tracer keeps, on SIGCHLD. Keeps Loop::run() running until then.
class ChildWatch {
 public:
  ChildWatch(Loop& loop, pid_t pid, std::function<void()> on_ended);
  ~ChildWatch();
  ChildWatch(const ChildWatch&) = delete;
  ChildWatch& operator=(const ChildWatch&) = delete;

  // Looks at the child now, and tells if it has ended, which may destroy this. Whether it has: true
  // also when that was told before.
  bool look();

 private:
  void on_pidfd();
  void listen_to_sigchld();

  Loop& loop_;
  pid_t pid_;
  std::function<void()> on_ended_;
  std::unique_ptr<WatchedFd> pidfd_;  // null: there is none
  std::unique_ptr<SignalWatch> on_sigchld_;
};

}  // namespace orch::loop
