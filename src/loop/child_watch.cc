#include "loop/child_watch.h"

#include <sys/wait.h>

#include <csignal>
#include <utility>

#include "base/check.h"
#include "loop/children.h"
#include "loop/loop.h"
#include "loop/pidfd.h"

namespace orch::loop {

bool has_ended(pid_t pid) {
  siginfo_t info{};
  const int result = ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT);
  return result != 0 || info.si_pid != 0;  // an error: somebody has reaped it
}

ChildWatch::ChildWatch(Loop& loop, pid_t pid, std::function<void()> on_ended)
    : loop_(loop), pid_(pid), on_ended_(std::move(on_ended)) {
  loop_.children().add(pid_, *this);
  base::Fd pidfd = open_pidfd(pid);
  if (pidfd.valid()) {
    pidfd_ = std::make_unique<WatchedFd>(loop_, std::move(pidfd));
    pidfd_->start(kReadable, [this](int) { on_pidfd(); });
    return;
  }
  listen_to_sigchld();
  ORCH_CHECK(::raise(SIGCHLD) == 0);  // it may have ended before we listened
}

ChildWatch::~ChildWatch() { loop_.children().remove(pid_); }

void ChildWatch::listen_to_sigchld() {
  on_sigchld_ = std::make_unique<SignalWatch>(loop_, SIGCHLD, [this](int) { look(); });
  on_sigchld_->keep_running();
}

// The pidfd of a zombie that its tracer has not released is always readable, though the zombie
// cannot be reaped. When it can, the kernel sends us SIGCHLD (ptrace(2)).
void ChildWatch::on_pidfd() {
  if (look()) return;
  pidfd_.reset();
  listen_to_sigchld();
  look();  // it may have been released since
}

bool ChildWatch::look() {
  if (!on_ended_) return true;
  if (!has_ended(pid_)) return false;
  pidfd_.reset();
  on_sigchld_.reset();
  loop_.children().remove(pid_);
  const auto on_ended = std::exchange(on_ended_, nullptr);
  on_ended();
  return true;
}

}  // namespace orch::loop
