#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "live/figure.h"

namespace orch::live {

struct LatencyPlan {
  enum class When { kAfterQuiet, kInFlood };
  When when = When::kAfterQuiet;
  int sessions = 1;  // at once, in one host
  int turns = 100;   // of each session
  std::string name;  // prefix of the figures' names
};

// Measures the time from the write with which an agent shows that it works to the record `working`
// on the standard output of `orch run --output json`, which is read from a pipe. Counts the turns
// without such a record.
base::Result<std::vector<Figure>> measure_latency(const LatencyPlan& plan);

}  // namespace orch::live
