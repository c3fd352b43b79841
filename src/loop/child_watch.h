#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>

#include "loop/signal_watch.h"
#include "loop/watched_fd.h"

namespace orch::loop {

class Loop;

// Whether a child of this process has ended and can be reaped. It is not reaped by this.
bool has_ended(pid_t pid);

// Reports, once, that a child of this process has ended. The child is left a zombie for its owner
// to reap, and until then its pid names no other process. Waits on a pidfd; if the system has none,
// or the child is a zombie that its tracer keeps, for SIGCHLD. Keeps Loop::run() running until
// then.
class ChildWatch {
 public:
  ChildWatch(Loop& loop, pid_t pid, std::function<void()> on_ended);
  ~ChildWatch();
  ChildWatch(const ChildWatch&) = delete;
  ChildWatch& operator=(const ChildWatch&) = delete;

  // Checks the child now and reports its end, which may destroy this. Returns whether the child has
  // ended, also if that was reported before.
  bool look();

 private:
  void on_pidfd();
  void listen_to_sigchld();

  Loop& loop_;
  pid_t pid_;
  std::function<void()> on_ended_;
  std::unique_ptr<WatchedFd> pidfd_;  // null: there is none, or it is not waited for any more
  std::unique_ptr<SignalWatch> on_sigchld_;
};

}  // namespace orch::loop
