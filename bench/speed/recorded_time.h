#pragma once

#include <cstdint>
#include <vector>

#include "detect/rules.h"
#include "speed/streams.h"

namespace orch::speed {

// What it costs to follow an agent at the pace of its recordings, and what the detector did.
struct RecordedTime {
  std::string agent;
  double recorded_s = 0;
  double bytes = 0;
  double screen_s = 0;       // CPU time: only the screen
  double detect_s = 0;       // CPU time: screen and detector
  double habit_s = 0;        // CPU time: the last 8 KB, stripped and searched every 500 ms
  uint64_t samples = 0;      // how often the screen was looked at
  uint64_t fast_exits = 0;   // looks at which nothing had changed
  uint64_t evaluations = 0;  // looks at which the rules were evaluated
  uint64_t rows_examined = 0, rows_searched = 0;
  size_t patterns = 0;  // how many are searched for at once in a row
};

// Follows the recordings in the three ways, in turn; the times are medians of `rounds` rounds.
RecordedTime follow(const AgentRecordings& recordings, const detect::RuleSet& rules, int rounds);

}  // namespace orch::speed
