#pragma once

#include <optional>
#include <string>

#include "cli/diagnostics.h"

namespace orch::cli {

struct CrewUpOptions {
  std::string file;  // "": crew.yaml, or who was up before
  std::string approve = "none", sandbox = "auto", session_manager = "native", size;
  // Of each agent, as orch run has them; "": none.
  std::string max_tokens, max_cost, timeout;
  std::string crew_max_tokens, crew_max_cost;  // of all of them together
  std::optional<std::string> state_dir;
};

// Starts the agents of a crew that do not run, in the background; returns the exit code.
int crew_up(const CrewUpOptions& options, Diagnostics& diagnostics);

}  // namespace orch::cli
