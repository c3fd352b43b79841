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
  // The regular file that holds the system prompt, absolute; "" where it came another way.
  std::string system_prompt_file = {};
};

struct LaunchPlan {
  std::vector<std::string> argv;  // never given to a shell
  std::map<std::string, std::string> env;
  std::string untold = {};  // the system prompt where a word of argv ends with it
};
// The argument vector as it is recorded and shown: "…" in place of what is not to be told.
std::vector<std::string> told_argv(const LaunchPlan& plan);

// The argument vector of an interactive start. In the words of an option {} stands for its value,
// {file} for the path of the file that holds it, which keeps it out of ps. An option that the agent
// has no word for is an error that names the option and the agent.
base::Result<LaunchPlan> plan_launch(const Manifest& manifest, const LaunchRequest& request);

}  // namespace orch::adapters
