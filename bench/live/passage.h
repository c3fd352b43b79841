#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adapters/manifest.h"
#include "base/result.h"
#include "detect/rules.h"
#include "driver/speakers.h"
#include "live/figure.h"

namespace orch::live {

struct PassagePlan {
  std::string stream;  // the path of a file that a live_agent writes to a pty
  const adapters::Manifest& manifest;
  const detect::RuleSet& rules;
  std::shared_ptr<const driver::Speakers> speakers;
  int rounds = 5;
};

// Measures what it costs to read a stream through a pty: only to discard it, to follow what it
// shows, to record it as well, and in a whole `orch run`. The first three are readers on a
// loop::Loop and a pty::Pty in this thread, one after the other; the figures are medians of the
// rounds, with reads, wake-ups and allocations.
base::Result<std::vector<Figure>> measure_passages(const PassagePlan& plan);

// The allocations that it takes to follow what a stream shows, and to record it as well, in
// simulated time: once what is kept for good has been allocated by a first passage of the stream.
base::Result<std::vector<Figure>> measure_views(const PassagePlan& plan);

}  // namespace orch::live
