#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/find.h"
#include "issue/race.h"
#include "options/run_request.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own name
class App;
}

namespace orch::cli {

struct RaceOptions {
  std::vector<std::string> agents;   // "claude", "claude:opus"
  std::vector<std::string> protect;  // git's patterns
  bool first = false;                // the first eligible agent wins, and the others are stopped
  bool json = false;
  const CLI::App* given_by = nullptr;  // the command
  options::RunRequest request;         // of each of them, but for the agent
};

// Runs the agents at the same time, judges each one when it ends, and writes the record. Says how
// each did on standard error. `given` are the options of the command line. An error: no agent was
// started.
base::Result<issue::RaceRecord> run_race(const RaceOptions& options, const client::Place& place,
                                         const std::string& prompt,
                                         const std::set<std::string>& given);

}  // namespace orch::cli
