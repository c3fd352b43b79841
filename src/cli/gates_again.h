#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "client/find.h"
#include "store/run_record.h"

namespace orch::cli {

// How the gates of a run ended that were run again.
struct GatesAgain {
  std::string name;  // of the run that they were
  int code = 0;      // 0: all passed
  std::vector<store::GateRun> gates;
};

// Runs the gates of `run` again in `folder`, which is in the checkout `root`, as a run of orch of
// their own: in a fence if the machine has one, with the network of the run, and without the user's
// logins. Blocks.
base::Result<GatesAgain> run_gates_again(const client::Place& place, const store::RunRecord& run,
                                         const std::string& root, const std::string& folder);

}  // namespace orch::cli
