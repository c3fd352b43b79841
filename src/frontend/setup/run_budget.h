#pragma once

#include <cstdint>
#include <string>

#include "adapters/manifest.h"
#include "base/result.h"
#include "session/session_setup.h"

namespace orch::setup {

// The most that a run may use; 0: no limit.
struct Budget {
  int64_t tokens = 0;    // input and output together
  int64_t uncached = 0;  // the same without input that was read from the cache
  double cost_usd = 0;
};

// Parse the value of an option, which errors name: a number from 1 on, or US dollars above 0.
base::Result<int64_t> parse_tokens(const std::string& option, const std::string& text);
base::Result<double> parse_dollars(const std::string& option, const std::string& text);

// Reads --max-tokens and --max-cost. An error if neither the agent reports its usage in this mode
// nor a gateway sees it, because then nobody could enforce the limit.
base::Result<Budget> parse_budget(const options::RunRequest& request,
                                  const adapters::Manifest& agent, session::Mode mode);

}  // namespace orch::setup
