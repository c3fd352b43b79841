#pragma once

#include "repo/worktree.h"
#include "session/session.h"
#include "setup/diagnostics.h"
#include "setup/run_setup.h"

namespace orch::cli {

// The worktree that a session is to have, if the request asks for one.
repo::WorktreeRequest worktree_request_of(const options::RunRequest& request,
                                          const session::SessionSetup& session);

// Starts the sessions that are asked for, in the foreground or not; returns the exit code. What the
// configuration says is in the request already.
int start_run(const options::RunRequest& request, setup::Diagnostics& diagnostics);

}  // namespace orch::cli
