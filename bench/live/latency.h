#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "live/figure.h"

namespace orch::live {

struct LatencyPlan {
  enum class When { kAfterQuiet, kInFlood };
  When when = When::kAfterQuiet;
  int sessions = 1;  // of one host, at once
  int turns = 100;   // of each
  std::string name;  // of the figures
};

// From the write with which an agent shows that it works to the record `working` on the standard
// output of `orch run --output json`, read from a pipe. Turns that were not told are counted.
base::Result<std::vector<Figure>> measure_latency(const LatencyPlan& plan);

}  // namespace orch::live
