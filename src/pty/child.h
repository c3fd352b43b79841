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
  int signal = 0;  // not 0: it died of this signal
  pid_t left = 0;  // not 0: this process could not be ended, and was left as it is
  bool operator==(const ExitStatus&) const = default;
};

// One spawned child (a session leader) from spawn to reaping. The pid is kept as long as it names
// the child and not a moment longer, so no signal can reach a stranger. The destructor kills the
// child's session and has the loop reap the child.
class Child {
 public:
  // on_reaped is called once, from the loop or from inside look(), and may destroy this Child.
  Child(loop::Loop& loop, pid_t pid, std::function<void(ExitStatus)> on_reaped);
  // As the child of `init`, if there is one, which is its agent then.
  Child(loop::Loop& loop, pid_t pid, std::function<void(ExitStatus)> on_reaped,
        std::unique_ptr<Init> init);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }  // 0 once reaped

  // The child's process group and every other process of its session; nothing once it is reaped.
  void signal_group(int signum);

  // Climbs the ladder until the child has ended; what it leaves in its session is then killed. A
  // second call kills at once. One that SIGKILL does not end is left: on_reaped gets its pid, and
  // the loop reaps it should it ever end. Returns the step taken now: kQuitKeys (first, if
  // times.quit_ms is positive) is for the caller to carry out; kNone: there is nothing left to
  // stop.
  StopStep stop(StopTimes times);
  // Looks whether the child has ended, before a time limit acts on it: the host may have been
  // stopped meanwhile. True when it has, of which on_reaped was told then or before.
  bool look();
  StopStep stop_step() const { return ladder_ ? ladder_->reached() : StopStep::kNone; }

 private:
  void on_ended();
  void on_deadline();
  void leave();
  ExitStatus reap();
  StopStep climb(StopEvent event);

  loop::Loop& loop_;
  pid_t pid_;
  std::function<void(ExitStatus)> on_reaped_;
  std::unique_ptr<Init> init_;             // null: it is our own child
  std::optional<loop::ChildWatch> watch_;  // of our own child
  std::optional<StopLadder> ladder_;
  loop::Timer deadline_;
};

}  // namespace orch::pty
