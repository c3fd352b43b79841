#pragma once

#include <string>

#include "base/result.h"
#include "cli/run_options.h"
#include "store/run_record.h"

namespace orch::cli {

// What is recorded of the options of a run; `task` is in the person's own words.
store::RunRequest request_of(const RunOptions& options, const std::string& agent, run::Until until,
                             const std::string& task);

// The options that ask for the same again, for the same issue, and name the run as their parent.
// Goes to the folder where that was started, so that relative paths mean what they meant. An error
// names what cannot be had again: the folder, variables of its environment, standard input.
base::Result<RunOptions> options_of(const store::RunRecord& record);

}  // namespace orch::cli
