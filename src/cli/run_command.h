#pragma once

#include "cli/diagnostics.h"
#include "cli/run_options.h"
#include "repo/worktree.h"
#include "session/session.h"

namespace orch::cli {

// Where the options come from.
enum class Wish : uint8_t {
  kCommandLine,  // and, for what it does not say, the configuration
  kRecord,       // of a run that had the configuration's words already
};

// The worktree that a session is to have, if the options ask for one.
repo::WorktreeWish worktree_wish_of(const RunOptions& options,
                                    const session::SessionSetup& session);

// Starts the sessions that the options ask for, in the foreground or not; returns the exit code.
int start_run(RunOptions options, Wish wish, Diagnostics& diagnostics);

}  // namespace orch::cli
