#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "adapters/manifest.h"
#include "event/status.h"
#include "store/cast_reader.h"

namespace orch::adapters {

// A stretch of a recording with one status, [begin, end) in milliseconds.
struct Span {
  int64_t begin = 0, end = 0;
  event::AgentStatus status = event::AgentStatus::kStarting;
};

// What the recording's "state=" markers say is true. Stretches marked `unsure` (the screen may lag
// behind the fact) and what follows the agent's exit are left out.
std::vector<Span> truth_of(const store::Cast& cast);

// What the detector says, from start to end, with its timers at their times. Markers are not looked
// at.
std::vector<Span> statuses_of(const store::Cast& cast, const Manifest& manifest);

// How well `said` agrees with `truth`. Milliseconds.
struct Score {
  int64_t judged = 0;  // truth that is known
  int64_t right = 0;
  int64_t false_idle =
      0;  // the longest stretch said to be idle or error while working or waiting is true
  std::string wrong;  // the stretches that are wrong, for a person
};
Score score(const std::vector<Span>& truth, const std::vector<Span>& said);

}  // namespace orch::adapters
