#include "pty/stop_ladder.h"

namespace orch::pty {

StopStep StopLadder::step(StopEvent event, int64_t now_ms) {
  const bool asked = event == StopEvent::kAsked;
  if (!asked && (!deadline_ms_ || now_ms < *deadline_ms_)) return StopStep::kNone;
  switch (reached_) {
    case StopStep::kNone:
      return take(times_.quit_ms > 0 ? StopStep::kQuitKeys : StopStep::kTerminate, now_ms);
    case StopStep::kQuitKeys:
      return take(asked ? StopStep::kKill : StopStep::kTerminate, now_ms);
    case StopStep::kTerminate:
      return take(StopStep::kKill, now_ms);
    case StopStep::kKill:
    case StopStep::kGiveUp:
      return take(asked ? StopStep::kKill : StopStep::kGiveUp, now_ms);
  }
  return StopStep::kNone;
}

StopStep StopLadder::take(StopStep step, int64_t now_ms) {
  reached_ = step;
  deadline_ms_.reset();
  if (step == StopStep::kQuitKeys) deadline_ms_ = now_ms + times_.quit_ms;
  if (step == StopStep::kTerminate) deadline_ms_ = now_ms + times_.term_ms;
  // A further request does not put off the time when the child is given up.
  if (step == StopStep::kKill) {
    if (!give_up_at_ms_) give_up_at_ms_ = now_ms + times_.kill_ms;
    deadline_ms_ = give_up_at_ms_;
  }
  return step;
}

}  // namespace orch::pty
