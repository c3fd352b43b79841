#pragma once

#include <string>

#include "base/result.h"
#include "store/time_text.h"

namespace orch::store {

// Completes the files of a run folder when the run's host has died and the run's processes have
// been ended: the last event becomes the exit, result.json is written, and run.json says how the
// run ended. Temporary files and the notices pipe of the host are removed. An end that the files
// already have is kept; otherwise the end is `internal`. A run that has ended is left as it is; a
// folder without a run.json, whose agent was not started, is removed. If one of these files cannot
// be read, nothing is changed, and the error names it.
base::Status close_abandoned_run(const std::string& run_dir, TimePoint now);

}  // namespace orch::store
