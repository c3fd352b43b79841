#include "pty/child.h"

#include <sys/wait.h>

#include <csignal>
#include <string>
#include <utility>

#include "base/log.h"
#include "loop/loop.h"
#include "pty/containment.h"
#include "pty/init.h"
#include "pty/process_table.h"

namespace orch::pty {
namespace {

ExitStatus exit_status(int wait_status) {
  if (WIFSIGNALED(wait_status)) return {0, WTERMSIG(wait_status)};
  return {WEXITSTATUS(wait_status), 0};
}

}  // namespace

Child::Child(loop::Loop& loop, pid_t pid, std::function<void(ExitStatus)> on_reaped)
    : Child(loop, pid, std::move(on_reaped), nullptr) {}

Child::Child(loop::Loop& loop, pid_t pid, std::function<void(ExitStatus)> on_reaped,
             std::unique_ptr<Init> init)
    : loop_(loop),
      pid_(pid),
      on_reaped_(std::move(on_reaped)),
      init_(std::move(init)),
      deadline_(loop) {
  if (init_) {
    init_->watch(loop, [this] { on_ended(); });
  } else {
    watch_.emplace(loop, pid, [this] { on_ended(); });
  }
}

Child::~Child() {
  if (pid_ == 0) return;
  signal_group(SIGKILL);
  ::kill(pid_, SIGKILL);
  init_.reset();  // makes the agent our child, unless the init could not be ended yet
  watch_.reset();
  loop_.reap(pid_);
}

void Child::signal_group(int signum) {
  if (pid_ == 0) return;
  ::kill(-pid_, signum);
  if (!is_alone()) signal_session_beyond_group(pid_, signum);
}

// All processes of its session descend from it. One that has lost its parents is a child of the
// init, or of this process.
bool Child::is_alone() const {
  if (!has_no_living_child(pid_)) return false;
  if (!init_) return has_no_orphan_since(loop_, identify(pid_).start);
  return has_no_living_child(init_->id().pid, 0, [this](pid_t pid) { return pid != pid_; });
}

StopStep Child::stop(StopTimes times) {
  if (pid_ == 0) return StopStep::kNone;
  if (!ladder_) ladder_.emplace(times);
  return climb(StopEvent::kAsked);
}

StopStep Child::climb(StopEvent event) {
  const StopStep step = ladder_->step(event, loop_.now_ms());
  switch (step) {
    case StopStep::kNone:
    case StopStep::kQuitKeys:
      break;
    case StopStep::kTerminate:
      signal_group(SIGTERM);
      signal_group(SIGCONT);  // a stopped process handles SIGTERM only when it continues
      break;
    case StopStep::kKill:
      signal_group(SIGKILL);
      break;
    case StopStep::kGiveUp:
      leave();  // may have destroyed us
      return step;
  }
  deadline_.stop();
  if (const auto due = ladder_->deadline_ms()) {
    deadline_.start(*due - loop_.now_ms(), [this] { on_deadline(); });
  }
  return step;
}

void Child::on_deadline() {
  if (!look()) climb(StopEvent::kTime);
}

bool Child::look() {
  if (pid_ == 0) return true;
  return init_ ? init_->look() : watch_->look();
}

void Child::leave() {
  const pid_t pid = std::exchange(pid_, 0);
  base::log_warn("process", "pid " + std::to_string(pid) +
                                " does not end after SIGKILL (frozen, traced or waiting for a "
                                "disk?), and is left");
  deadline_.stop();
  init_.reset();
  watch_.reset();
  loop_.reap(pid);
  const auto on_reaped = std::exchange(on_reaped_, nullptr);
  on_reaped({.left = pid});
}

void Child::on_ended() {
  // Before reaping, while the dead child's pid still names its session.
  if (ladder_) signal_group(SIGKILL);
  const ExitStatus status = reap();
  pid_ = 0;
  watch_.reset();
  deadline_.stop();
  const auto on_reaped = std::exchange(on_reaped_, nullptr);
  on_reaped(status);
}

ExitStatus Child::reap() {
  if (init_) return init_->reap_agent();
  int wait_status = 0;
  ::waitpid(pid_, &wait_status, 0);
  return exit_status(wait_status);
}

}  // namespace orch::pty
