#pragma once

#include <cstdint>
#include <optional>

namespace orch::pty {

// The last step that was taken to end a child.
enum class StopStep {
  kNone,       // no stop was asked for
  kQuitKeys,   // the keys that make the agent quit were typed
  kTerminate,  // SIGTERM
  kKill,       // SIGKILL
  kGiveUp,     // even SIGKILL has not ended it: frozen, traced, or waiting for a disk
};

enum class StopEvent {
  kAsked,  // a stop is asked for: the first begins the ladder, a further one kills
  kTime,   // time has passed
};

// How long each step may take.
struct StopTimes {
  int64_t quit_ms = 0;  // after the quit keys; 0: there are none, so SIGTERM comes first
  int64_t term_ms = 5000;
  // After SIGKILL, which takes milliseconds as a rule. So a run is over at most 10 s after a
  // request to end at once, or by SIGTERM.
  int64_t kill_ms = 3000;
};

// The steps that stop a child. Pure: the owner carries out the steps and keeps the time, and
// destroys the ladder when the child has ended.
class StopLadder {
 public:
  explicit StopLadder(StopTimes times) : times_(times) {}

  // The step to carry out now; kNone if it is not time for one.
  StopStep step(StopEvent event, int64_t now_ms);

  StopStep reached() const { return reached_; }
  std::optional<int64_t> deadline_ms() const { return deadline_ms_; }  // when the next kTime is due

 private:
  StopStep take(StopStep step, int64_t now_ms);

  StopTimes times_;
  StopStep reached_ = StopStep::kNone;
  std::optional<int64_t> deadline_ms_;
  std::optional<int64_t> give_up_at_ms_;  // set when SIGKILL is sent
};

}  // namespace orch::pty
