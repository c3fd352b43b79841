#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "live/figure.h"

namespace orch::live {

struct IdlePlan {
  std::string stream;  // a file that each agent writes before it rests
  int sessions = 200;
  int seconds = 30;
};

// Measures the cost of sessions whose agents rest at their prompt: the wake-ups of their host and
// of its children, and the memory for each session after the first.
base::Result<std::vector<Figure>> measure_idle(const IdlePlan& plan);

}  // namespace orch::live
