#pragma once

#include "cli/diagnostics.h"
#include "cli/run_options.h"

namespace orch::cli {

// Where the options come from.
enum class Wish : uint8_t {
  kCommandLine,  // and, for what it does not say, the configuration
  kRecord,       // of a run that had the configuration's words already
};

// Starts the sessions that the options ask for, in the foreground or not; returns the exit code.
int start_run(RunOptions options, Wish wish, Diagnostics& diagnostics);

}  // namespace orch::cli
