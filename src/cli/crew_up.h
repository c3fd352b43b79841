#pragma once

#include "setup/crew_setup.h"
#include "setup/diagnostics.h"

namespace orch::cli {

// Starts the agents of a crew that do not run, in the background; returns the exit code.
int crew_up(const setup::CrewOptions& options, setup::Diagnostics& diagnostics);

}  // namespace orch::cli
