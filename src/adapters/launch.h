#pragma once

#include <map>
#include <string>
#include <vector>

#include "adapters/manifest.h"
#include "base/result.h"

namespace orch::adapters {

// What the user asked for, as far as it reaches the agent's command line.
struct LaunchRequest {
  std::string model, effort, system_prompt;  // empty: the agent's own default
  std::vector<std::string> command;          // of --agent command: the words after --
};

struct LaunchPlan {
  std::vector<std::string> argv;  // never given to a shell
  std::map<std::string, std::string> env;
};

// The argument vector of an interactive start. An option that the agent has no word for is an error
// that names the option and the agent.
base::Result<LaunchPlan> plan_launch(const Manifest& manifest, const LaunchRequest& request);

}  // namespace orch::adapters
