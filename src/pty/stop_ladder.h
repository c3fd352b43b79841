#pragma once

#include <cstdint>
#include <optional>

namespace orch::pty {

// The last step taken to end a child.
enum class StopStep {
  kNone,       // nobody asked
  kQuitKeys,   // the agent's own quit keys were typed
  kTerminate,  // SIGTERM
  kKill,       // SIGKILL
  kGiveUp,     // it has not ended all the same: frozen, traced, or waiting for a disk
};

enum class StopEvent {
  kAsked,  // a stop was asked for: the first begins the ladder, each further one is kKill
  kTime,   // time has passed
};

// How long each step may take. The 5 s after SIGTERM are DESIGN §7's.
struct StopTimes {
  int64_t quit_ms = 0;  // after the quit keys; 0: there are none, begin with SIGTERM
  int64_t term_ms = 5000;
  // After SIGKILL, which ends what can be ended within milliseconds: a run is over at most 10 s
  // after it was told to end at once, or by SIGTERM.
  int64_t kill_ms = 3000;
};

// The ladder by which a child is stopped. Pure: the owner carries out the steps and keeps the time.
// When the child ends the owner forgets the ladder.
class StopLadder {
 public:
  explicit StopLadder(StopTimes times) : times_(times) {}

  // The step to carry out now, or kNone when it is not time for another.
  StopStep step(StopEvent event, int64_t now_ms);

  StopStep reached() const { return reached_; }
  std::optional<int64_t> deadline_ms() const { return deadline_ms_; }  // when kTime is next due

 private:
  StopStep take(StopStep step, int64_t now_ms);

  StopTimes times_;
  StopStep reached_ = StopStep::kNone;
  std::optional<int64_t> deadline_ms_;
  std::optional<int64_t> give_up_at_ms_;  // once SIGKILL was sent
};

}  // namespace orch::pty
