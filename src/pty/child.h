#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>

#include "loop/child_watch.h"
#include "loop/timer.h"
#include "pty/stop_ladder.h"

namespace orch::loop {
class Loop;
}

namespace orch::pty {

class Init;

struct ExitStatus {
  int code = 0;
  int signal = 0;  // not 0: the child was killed by this signal
  pid_t left = 0;  // not 0: this process could not be ended, and was left running
  bool operator==(const ExitStatus&) const = default;
};

// One spawned child (a session leader) from its start until it is reaped. The pid is kept exactly
// as long as it names the child, so no signal can reach another process. The destructor kills the
// child's session and has the loop reap the child.
class Child {
 public:
  // on_reaped is called once, from the loop or from inside look(), and may destroy this Child.
  Child(loop::Loop& loop, pid_t pid, std::function<void(ExitStatus)> on_reaped);
  // The same for a child of `init`, if that is not null: then the child is the init's agent.
  Child(loop::Loop& loop, pid_t pid, std::function<void(ExitStatus)> on_reaped,
        std::unique_ptr<Init> init);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }  // 0 once reaped

  // Signals the child's process group and every other process of its session; does nothing once it
  // is reaped.
  void signal_group(int signum);

  // Climbs the ladder of stop_ladder.h until the child has ended; the rest of its session is then
  // killed. A second call kills at once. A child that SIGKILL does not end is left: on_reaped gets
  // its pid, and the loop reaps it if it ever ends. Returns the step taken now: kQuitKeys (the
  // first, if times.quit_ms is positive) has to be carried out by the caller; kNone: no child is
  // left to stop.
  StopStep stop(StopTimes times);
  // Checks whether the child has ended, before a time limit acts on it: the host itself may have
  // been stopped for a while. True if it has; on_reaped is called by then.
  bool look();
  StopStep stop_step() const { return ladder_ ? ladder_->reached() : StopStep::kNone; }

 private:
  void on_ended();
  void on_deadline();
  void leave();
  ExitStatus reap();
  StopStep climb(StopEvent event);
  bool is_alone() const;

  loop::Loop& loop_;
  pid_t pid_;
  std::function<void(ExitStatus)> on_reaped_;
  std::unique_ptr<Init> init_;             // null: the child is our own
  std::optional<loop::ChildWatch> watch_;  // only for a child of our own
  std::optional<StopLadder> ladder_;
  loop::Timer deadline_;
};

}  // namespace orch::pty
