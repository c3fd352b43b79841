#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "event/event.h"

// A run's statuses over time, as the page draws them.
namespace orch::report {

// A period with the same status.
struct Span {
  int64_t from_ms = 0, to_ms = 0;
  event::AgentStatus status = event::AgentStatus::kStarting;
  event::Cause cause = event::Cause::kNone;
  bool operator==(const Span&) const = default;
};
inline constexpr size_t kMaxSpans = 3000;

// The statuses without gaps, up to `end_ms`. If there are more than kMaxSpans, the shortest are
// merged with the one before.
std::vector<Span> spans_of(std::span<const event::Record> events, int64_t end_ms);

// A lane for each status that occurs, one for dialogs and messages, and a time axis: the names of
// the lanes as list items, and the lanes as SVG of any width.
struct Lanes {
  std::string names;
  std::string svg;
};
Lanes lanes_of(std::span<const Span> spans, std::span<const event::Record> events, int64_t end_ms);

// [[ms, "working/tool"], ...] for the page's script.
std::string spans_json(std::span<const Span> spans);

}  // namespace orch::report
