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
  // Headless: where in argv the words go by which a conversation is continued, and the one that the
  // first process continues; "" where it begins one.
  size_t resume_at = 0;
  std::string conversation = {};
};
// The argument vector as it is recorded and shown: "…" in place of what is not to be told.
std::vector<std::string> told_argv(const LaunchPlan& plan);

// The argument vector of an interactive start. In the words of an option {} stands for its value,
// {file} for the path of the file that holds it, which keeps it out of ps. An option that the agent
// has no word for is an error that names the option and the agent.
base::Result<LaunchPlan> plan_launch(const Manifest& manifest, const LaunchRequest& request);

// What an agent may do that runs without a terminal.
enum class Allowed : uint8_t {
  kAsks,        // what its rules or whoever it can ask say
  kEverything,  // it asks for nothing
};
// The argument vector of a headless process. An agent without that mode is an error.
base::Result<LaunchPlan> plan_headless(const Manifest& manifest, const LaunchRequest& request,
                                       Allowed allowed);

}  // namespace orch::adapters
