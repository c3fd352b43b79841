#pragma once

#include <string>

#include "base/result.h"
#include "store/time_text.h"

namespace orch::store {

// Makes the files of a run folder tell the truth when the run's host has died and its processes are
// ended: the last event is the exit, result.json is there, run.json says how the run ended. What
// the host had begun to write, and its pipe, are removed. What the files already say of the end
// stands; else it is `internal`. A run that has ended is left as it is; a folder without a
// run.json, whose agent was not started, is removed.
base::Status close_abandoned_run(const std::string& run_dir, TimePoint now);

}  // namespace orch::store
