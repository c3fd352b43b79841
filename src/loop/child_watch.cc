#include "loop/child_watch.h"

#include <sys/wait.h>

#include <csignal>
#include <utility>

#include "base/check.h"
#include "loop/loop.h"
#include "loop/pidfd.h"

namespace orch::loop {

ChildWatch::ChildWatch(Loop& loop, pid_t pid, std::function<void()> on_ended)
    : loop_(loop), pid_(pid), on_ended_(std::move(on_ended)), pidfd_(open_pidfd(pid)) {
  loop_.watched_children_.insert(pid_);
  if (pidfd_.valid()) {
    on_pidfd_ = std::make_unique<FdWatch>(loop_, pidfd_.get());
    on_pidfd_->start(kReadable, [this](int) { check(); });
    return;
  }
  on_sigchld_ = std::make_unique<SignalWatch>(loop_, SIGCHLD, [this](int) { check(); });
  on_sigchld_->keep_running();
  ORCH_CHECK(::raise(SIGCHLD) == 0);  // it may have ended before we listened
}

ChildWatch::~ChildWatch() { loop_.watched_children_.erase(pid_); }

void ChildWatch::check() {
  siginfo_t info{};
  const int result = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  if (result == 0 && info.si_pid == 0) return;
  on_pidfd_.reset();
  on_sigchld_.reset();
  const auto on_ended = std::exchange(on_ended_, nullptr);
  on_ended();
}

}  // namespace orch::loop
