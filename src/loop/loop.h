#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "loop/handle.h"

struct uv_loop_s;

namespace orch::loop {

class Children;
class Jobs;

// If the callbacks of one turn of a loop take longer than this, a line of the log says so. If a
// wait for descriptors ends later than it should by this much, the process has stood still.
inline constexpr int64_t kLateMs = 100;
// The most time that is given again after the process has stood still, so that events from that
// time can be handled before time limits act.
inline constexpr int64_t kCatchUpMs = 1000;
// How long the loop may be held up to reap one child that was killed. Almost all end sooner.
inline constexpr int64_t kReapMs = 10;

// The event loop: one thread, one per process. Everything that waits (Timer, SignalWatch,
// WatchedFd, ChildWatch, Background) is made on a Loop, must be destroyed before it, and calls back
// only from inside run(). A callback may destroy anything, even the object that has called it, but
// not the Loop.
//
// Making a Loop sets SIGPIPE to ignored, so that a write to a closed peer fails with EPIPE instead
// of killing the process; and an inherited ignored SIGCHLD to its default, because children could
// not be reaped otherwise. A second Loop, made and run for a while inside a callback of the first,
// leaves nothing behind; everything on the first one waits until the second one is done.
class Loop {
 public:
  Loop();  // throws std::system_error if the system has no descriptors left for it
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Runs until stop(), or until only signal watches are left; may be called again.
  void run();
  void stop();  // run() returns after the present callback

  // Milliseconds of a monotonic clock that stands still while this process does: when it was
  // stopped (Ctrl-Z, SIGSTOP), was suspended with the machine, or got no processor. So no time
  // limit passes during that time, and up to kCatchUpMs before it are given again. By this clock a
  // Timer never fires too early.
  int64_t now_ms() const { return now_us() / 1'000; }

  int64_t now_us() const;                                     // the same in microseconds
  int64_t stood_still_us() const { return stood_still_us_; }  // so far

  // Whether a ChildWatch waits for this pid: only its owner may reap that child.
  bool watches_child(pid_t pid) const;

  // Reaps a child that was killed and that no ChildWatch waits for: within kReapMs, or otherwise
  // from the loop whenever it has ended. A child that is frozen, traced or waits for a disk may
  // take for ever.
  void reap(pid_t pid);

  // For the classes of this folder only.
  uv_loop_s* uv() const { return uv_.get(); }
  Children& children() const { return *children_; }
  Jobs& jobs();

 private:
  struct Close {
    void operator()(uv_loop_s* loop) const noexcept;
  };
  void watch_turns();
  static void look_at_turn(uv_loop_s* loop) noexcept;
  void begin_wait();

  std::unique_ptr<uv_loop_s, Close> uv_;
  HandlePtr<uv_check_s> after_poll_;
  HandlePtr<uv_prepare_s> after_timers_;
  HandlePtr<uv_idle_s> no_wait_;
  std::unique_ptr<Children> children_;
  std::unique_ptr<Jobs> jobs_;  // null before the first job
  // By the system's clock: when the last wait for descriptors should have ended (empty if it had no
  // limit, or now_us() has looked at it since), and when now_us() was called last.
  mutable std::optional<int64_t> wait_due_us_;
  mutable int64_t read_at_us_ = 0;
  mutable int64_t stood_still_us_ = 0;
};

}  // namespace orch::loop
