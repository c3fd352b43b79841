#include "session/replay.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "detect/dialog.h"
#include "driver/dialog_request.h"
#include "mask/screen.h"

namespace orch::session {

Replay::Replay(const store::Cast& cast, const adapters::Manifest& manifest,
               const detect::RuleSet& rules)
    : Replay({.next = [&cast, at = size_t{0}]() mutable -> const store::CastEvent* {
                return at < cast.events.size() ? &cast.events[at++] : nullptr;
              },
              .end_us = [&cast] { return cast.end_us; }},
             cast.header, manifest, rules) {}

Replay::Replay(store::CastReader& cast, const adapters::Manifest& manifest,
               const detect::RuleSet& rules)
    : Replay({.next = [&cast] { return cast.next(); }, .end_us = [&cast] { return cast.end_us(); }},
             cast.header(), manifest, rules) {}

Replay::Replay(Source source, const store::CastHeader& header, const adapters::Manifest& manifest,
               const detect::RuleSet& rules)
    : source_(std::move(source)),
      driver_(manifest, rules, {header.cols, header.rows}, 0, nullptr,
              header.resumed ? driver::Conversation::kResumed : driver::Conversation::kNew),
      next_(source_.next()) {
  event::StatusChange start;
  start.status = event::AgentStatus::kStarting;
  events_.push_back({0, start});
}

Replay::~Replay() = default;

std::vector<ReplayedEvent> Replay::run_to(int64_t ms) {
  while (step(ms)) {
  }
  return std::exchange(events_, {});
}

std::vector<ReplayedEvent> Replay::run() { return run_to(std::numeric_limits<int64_t>::max()); }

void Replay::run(const std::function<void(const ReplayedEvent&)>& take) {
  bool goes_on = true;
  while (goes_on) {
    goes_on = step(std::numeric_limits<int64_t>::max());
    for (const ReplayedEvent& replayed : std::exchange(events_, {})) take(replayed);
  }
}

// Applies the next event and returns true if it comes at `ms` or before; otherwise lets the time
// until then pass and returns false.
bool Replay::step(int64_t ms) {
  if (next_ != nullptr && next_->us / 1000 <= ms) {
    now_ms_ = next_->us / 1000;
    run_timers(now_ms_);
    apply(*next_, now_ms_);
    next_ = source_.next();
    return true;
  }
  now_ms_ = next_ != nullptr ? ms : std::min(ms, (source_.end_us() + 999) / 1000);
  run_timers(now_ms_ + 1);
  return false;
}

// A deadline of the driver is the time after the millisecond when a look is due.
void Replay::run_timers(int64_t until) {
  for (int64_t due = driver_.next_deadline(); due <= until; due = driver_.next_deadline()) {
    driver_.on_timer(due);
    keep(due - 1);
  }
}

void Replay::apply(const store::CastEvent& event, int64_t ms) {
  // After the agent's exit, output in the recording is not the agent's.
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
      for (const auto& [row, from, to] : mask::read_cover_marker(event.data)) {
        driver_.on_covered(row, from, to);
      }
      break;
  }
  keep(ms);
}

// Keeps lines and changes of status only: a replay has nobody to ask.
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

agent::DialogRequest Replay::dialog() const {
  const detect::Detector& detector = view().detector();
  return driver::request_of(
      detect::read_dialog(detector.rules(), detector.rows(), detector.layout(), view().screen()),
      detector.cause());
}

}  // namespace orch::session
