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

// What the callbacks of one turn of a loop may take together before a line of the log says so; who
// comes so much later than a timer asked for has stood still.
inline constexpr int64_t kLateMs = 100;
// Of what came while the process stood still it has at most so long to make something before the
// limits act that passed meanwhile.
inline constexpr int64_t kCatchUpMs = 1000;
// How long the loop may stand still for one child that was killed: all but a few end sooner.
inline constexpr int64_t kReapMs = 10;

// The reactor: one thread, one per process. Everything that waits (Timer, SignalWatch, WatchedFd,
// ChildWatch, Background) is made on a Loop, must be destroyed before it, and calls back from
// inside run() only. A callback may destroy whatever it likes, the object that called it included,
// but not the Loop. Making a Loop sets SIGPIPE to ignored: a write to a closed peer is EPIPE, not
// the end of the process; and an inherited ignored SIGCHLD to its default, as children could not be
// reaped. A second Loop, made and run for a while inside of a callback of the first, leaves nothing
// of itself behind; whoever does that lets all that is on the first one wait.
class Loop {
 public:
  Loop();  // throws std::system_error where the system has no descriptors left for it
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // Until stop(), or until nothing started is left but signal watches; may be called again.
  void run();
  void stop();  // run() returns once the callback that is being called has returned

  // Milliseconds of a monotonic clock, read at the call, that stands still while this process does:
  // when it was stopped (Ctrl-Z, SIGSTOP), suspended with the machine, or got no processor. No
  // limit passes in that time, and the last kCatchUpMs before it are given again. A Timer never
  // fires before its time by it.
  int64_t now_ms() const { return now_us() / 1'000; }

  int64_t now_us() const;                                     // the same in microseconds
  int64_t stood_still_us() const { return stood_still_us_; }  // so far

  // Whether a ChildWatch waits for this pid: such a child is reaped by its owner and by nobody
  // else.
  bool watches_child(pid_t pid) const;

  // Reaps a child that was killed and that no ChildWatch waits for: within kReapMs, else whenever
  // it has ended, for which nobody waits. What is frozen, traced or waits for a disk may take for
  // ever.
  void reap(pid_t pid);

  // For the classes of this folder.
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
  std::unique_ptr<Children> children_;
  std::unique_ptr<Jobs> jobs_;  // once there was one
  // By the system's clock: when the end of the last wait for descriptors was due, empty where
  // nobody asked for an end, or it was looked at since; and when somebody last looked at ours.
  mutable std::optional<int64_t> wait_due_us_;
  mutable int64_t read_at_us_ = 0;
  mutable int64_t stood_still_us_ = 0;
};

}  // namespace orch::loop
