#include "loop/children.h"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "loop/child_watch.h"
#include "loop/loop.h"
#include "loop/signal_watch.h"
#include "loop/timer.h"

namespace orch::loop {

Children::Children(Loop& loop) : loop_(loop) {}

Children::~Children() = default;

void Children::add(pid_t pid, ChildWatch& watch) {
  watched_[pid] = {&watch, std::nullopt};
  listen();
}

void Children::remove(pid_t pid) {
  watched_.erase(pid);
  const bool any_ended = std::any_of(watched_.begin(), watched_.end(), [](const auto& entry) {
    return entry.second.ended_at_ms.has_value();
  });
  if (look_ && !any_ended) look_->stop();
}

void Children::reap_later(pid_t pid) {
  left_.insert(pid);
  listen();
  on_sigchld();  // it may have ended already
}

void Children::listen() {
  if (on_sigchld_) return;
  on_sigchld_ = std::make_unique<SignalWatch>(loop_, SIGCHLD, [this](int) { on_sigchld(); });
  look_ = std::make_unique<Timer>(loop_);
}

void Children::on_sigchld() {
  std::erase_if(left_, [](pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) != 0; });
  note_ended();
}

// Most ends are reported in the turn of their signal, and removed before the timer fires.
void Children::note_ended() {
  bool any = false;
  for (auto& [pid, child] : watched_) {
    if (child.ended_at_ms || !has_ended(pid)) continue;
    child.ended_at_ms = loop_.now_ms();
    any = true;
  }
  if (any && !look_->active()) look_in(kLostMs);
}

void Children::look_in(int64_t ms) {
  look_->start(ms, [this] { tell_lost(); });
}

// After a long turn, the loop runs its timers before it looks at descriptors. So an end counts as
// lost only if the next turn has not reported it either.
void Children::tell_lost() {
  std::vector<pid_t> lost;
  std::optional<int64_t> next_ms;
  for (auto& [pid, child] : watched_) {
    if (!child.ended_at_ms) continue;
    if (loop_.now_ms() - *child.ended_at_ms < kLostMs) {
      next_ms = next_ms.value_or(kLostMs);
    } else if (!std::exchange(child.is_late, true)) {
      next_ms = 1;
    } else {
      lost.push_back(pid);
    }
  }
  if (next_ms) look_in(*next_ms);
  for (const pid_t pid : lost) {
    const auto found = watched_.find(pid);
    if (found == watched_.end()) continue;  // a call below has removed it
    base::log_error("loop", "lost: no report of the end of pid " + std::to_string(pid));
    found->second.watch->look();
  }
}

}  // namespace orch::loop
