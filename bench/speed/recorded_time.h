#pragma once

#include <cstdint>
#include <vector>

#include "detect/rules.h"
#include "speed/streams.h"

namespace orch::speed {

// What it costs to follow an agent in the time its recordings took, and what the detector did.
struct RecordedTime {
  std::string agent;
  double recorded_s = 0;
  double bytes = 0;
  double screen_s = 0;       // CPU: the screen alone
  double detect_s = 0;       // CPU: screen and detector
  double habit_s = 0;        // CPU: the last 8 KB stripped and searched every 500 ms
  uint64_t samples = 0;      // looks at the screen
  uint64_t fast_exits = 0;   // ... at which nothing had changed
  uint64_t evaluations = 0;  // ... at which the rules were asked
  uint64_t rows_examined = 0, rows_searched = 0;
  size_t patterns = 0;  // searched for at once in a row
};

// Medians of `rounds`, the three interleaved.
RecordedTime follow(const AgentRecordings& recordings, const detect::RuleSet& rules, int rounds);

}  // namespace orch::speed
