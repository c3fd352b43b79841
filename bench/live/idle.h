#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "live/figure.h"

namespace orch::live {

struct IdlePlan {
  std::string stream;  // a file that each agent has written before it rests
  int sessions = 200;
  int seconds = 30;
};

// What sessions cost whose agents rest at their prompt: wake-ups of their host and of all that it
// has started, and memory for each session beyond the first.
base::Result<std::vector<Figure>> measure_idle(const IdlePlan& plan);

}  // namespace orch::live
