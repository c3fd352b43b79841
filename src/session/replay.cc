#include "session/replay.h"

#include <utility>

namespace orch::session {

Replay::Replay(const store::Cast& cast, const adapters::Manifest& manifest,
               const detect::RuleSet& rules)
    : cast_(cast), driver_(manifest, rules, {cast.header.cols, cast.header.rows}, 0) {
  event::StatusChange start;
  start.status = event::AgentStatus::kStarting;
  events_.push_back({0, start});
}

std::vector<ReplayedEvent> Replay::run_to(int64_t ms) {
  while (next_ < cast_.events.size() && cast_.events[next_].us / 1000 <= ms) {
    const store::CastEvent& event = cast_.events[next_++];
    const int64_t at = event.us / 1000;
    run_timers(at);
    apply(event, at);
  }
  run_timers(ms + 1);
  return std::exchange(events_, {});
}

std::vector<ReplayedEvent> Replay::run() { return run_to((cast_.end_us + 999) / 1000); }

void Replay::run_timers(int64_t until) {
  for (int64_t due = driver_.next_deadline(); due < until; due = driver_.next_deadline()) {
    driver_.on_timer(due);
    keep(due);
  }
}

void Replay::apply(const store::CastEvent& event, int64_t ms) {
  // What a recording holds after the exit is not the agent's.
  if (driver_.status() == event::AgentStatus::kExited) return;
  switch (event.kind) {
    case store::CastKind::kOutput:
      driver_.on_output(ms, event.data);
      break;
    case store::CastKind::kInput:
      driver_.on_typed(ms, event.data);
      break;
    case store::CastKind::kResize:
      if (const auto size = store::parse_cast_size(event.data)) {
        driver_.on_resize(ms, size->cols, size->rows);
      }
      break;
    case store::CastKind::kExit:
      driver_.on_exit(ms);
      break;
    case store::CastKind::kMarker:
      break;
  }
  keep(ms);
}

// Of the news those that come from looking alone: nobody is asked for anything.
void Replay::keep(int64_t ms) {
  for (agent::News& news : driver_.take_news()) {
    if (auto* line = std::get_if<agent::Line>(&news)) {
      events_.push_back(
          {ms, event::Output{std::move(line->text), line->speaker, line->continues, line->gap}});
    } else if (auto* change = std::get_if<event::StatusChange>(&news)) {
      events_.push_back({ms, std::move(*change)});
    }
  }
}

}  // namespace orch::session
