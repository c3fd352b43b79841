#pragma once

#include <string>

#include "options/run_request.h"
#include "setup/diagnostics.h"

namespace orch::cli {

struct CrewUpOptions {
  std::string file;                            // "": crew.yaml, or who was up before
  options::RunRequest each;                    // what is asked of each agent, as orch run has it
  std::string crew_max_tokens, crew_max_cost;  // of all of them together; "": no limit
};

// Starts the agents of a crew that do not run, in the background; returns the exit code.
int crew_up(const CrewUpOptions& options, setup::Diagnostics& diagnostics);

}  // namespace orch::cli
