#pragma once

#include "cli/diagnostics.h"
#include "cli/run_options.h"

namespace orch::cli {

// Where the options come from.
enum class Wish : uint8_t {
  kCommandLine,  // and, for what it does not say, the configuration
  kRecord,       // of a run that had the configuration's words already
};

// Each session works in a folder of its own (--worktree). An error leaves none behind.
base::Status open_worktrees(const RunOptions& options, RunSetup& setup);

// Starts the sessions that the options ask for, in the foreground or not; returns the exit code.
int start_run(RunOptions options, Wish wish, Diagnostics& diagnostics);

}  // namespace orch::cli
