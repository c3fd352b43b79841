#pragma once

#include <cstdint>

#include "adapters/manifest.h"
#include "base/result.h"
#include "cli/run_options.h"
#include "session/session_setup.h"

namespace orch::cli {

// What a run may use up; 0: no limit.
struct Budget {
  int64_t tokens = 0;  // in and out together
  double cost_usd = 0;
};

// --max-tokens and --max-cost. Only an agent that tells what it took, there where it runs, can be
// held to them.
base::Result<Budget> parse_budget(const RunOptions& options, const adapters::Manifest& agent,
                                  session::Mode mode);

}  // namespace orch::cli
