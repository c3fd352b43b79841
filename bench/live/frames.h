#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "live/figure.h"

namespace orch::live {

struct FramesPlan {
  std::string stream;  // a file that the agent writes first
  int seconds = 30;
};

// Measures what a frame costs in a whole `orch run`, when an agent draws a spinner and a clock four
// times a second: the host's wake-ups, its writes and its CPU.
base::Result<std::vector<Figure>> measure_frames(const FramesPlan& plan);

}  // namespace orch::live
