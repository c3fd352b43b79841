#pragma once

#include <string>

#include "options/run_request.h"
#include "setup/diagnostics.h"

namespace orch::cli {

struct CrewUpOptions {
  std::string file;                            // "": crew.yaml, or the crew that was up before
  options::RunRequest each;                    // the options for each agent, as for orch run
  std::string crew_max_tokens, crew_max_cost;  // limits for all agents together; "": no limit
};

// Starts the agents of a crew that do not run, in the background; returns the exit code.
int crew_up(const CrewUpOptions& options, setup::Diagnostics& diagnostics);

}  // namespace orch::cli
