#pragma once

#include <string>
#include <vector>

#include "adapters/manifest.h"
#include "base/result.h"
#include "detect/rules.h"
#include "live/figure.h"

namespace orch::live {

struct PassagePlan {
  std::string stream;  // a file; a live_agent writes it into a pty
  const adapters::Manifest& manifest;
  const detect::RuleSet& rules;
  int rounds = 5;
};

// What it costs to read a stream through a pty: to discard it, to know what it shows, to record it
// too, and a whole `orch run`. The first three are readers on one loop::Loop and pty::Pty of this
// thread, in turn; medians of the rounds. With their reads, wake-ups and allocations.
base::Result<std::vector<Figure>> measure_passages(const PassagePlan& plan);

}  // namespace orch::live
