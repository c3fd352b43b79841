#pragma once

#include "session/session.h"
#include "setup/diagnostics.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own name
class App;
}

namespace orch::cli {

// Completes the request of a command that has the options and the issues of `orch run`: adds the
// configuration's defaults and names the run. Warns on stderr about options without effect.
base::Status complete_request(const CLI::App& command, options::RunRequest& request);

// Starts the sessions of a request, in the foreground or in the background; returns the exit code.
// The request already has the defaults of the configuration.
int start_run(const options::RunRequest& request, setup::Diagnostics& diagnostics);

}  // namespace orch::cli
