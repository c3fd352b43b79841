#pragma once

#include <cstdint>
#include <string>

#include "adapters/manifest.h"
#include "base/result.h"
#include "session/session_setup.h"
#include "setup/run_setup.h"

namespace orch::setup {

// What a run may use up; 0: no limit.
struct Budget {
  int64_t tokens = 0;  // in and out together
  double cost_usd = 0;
};

// The value of an option, which errors name: a number from 1 on; US dollars, more than none.
base::Result<int64_t> parse_tokens(const std::string& option, const std::string& text);
base::Result<double> parse_dollars(const std::string& option, const std::string& text);

// --max-tokens and --max-cost. Only an agent that tells what it took, there where it runs, can be
// held to them.
base::Result<Budget> parse_budget(const options::RunRequest& request,
                                  const adapters::Manifest& agent, session::Mode mode);

}  // namespace orch::setup
