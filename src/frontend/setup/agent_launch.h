#pragma once

#include <string>
#include <vector>

#include "adapters/launch.h"
#include "base/result.h"
#include "session/session.h"
#include "setup/run_setup.h"

namespace orch::setup {

// Plans how `orch run` starts its agent; `self` is this binary, for agents that are part of it.
base::Result<adapters::LaunchPlan> launch_of(const options::RunRequest& request,
                                             const AgentChoice& choice, session::Mode mode,
                                             const std::string& self);

// Whether the agent has to report each use of a tool to orch before it runs. In a task's container
// it does not: neither orch nor its socket is there.
bool checks_calls(const options::RunRequest& request, const adapters::Manifest& manifest);
// An error if --check-calls asks for that, and it is not possible.
base::Status check_calls_are_told(const options::RunRequest& request,
                                  const adapters::Manifest& manifest);
// A note for the user if a policy is to decide, but the agent's calls are not checked; otherwise
// "".
std::string unread_note(const options::RunRequest& request, const adapters::Manifest& manifest);

// The same if the project's settings are left out, because they could replace a call; "".
std::string project_note(const options::RunRequest& request, const adapters::Manifest& manifest,
                         const std::string& work_dir);

// The command line of a launch, with the agent's own program name even if --agent-program replaces
// it: the rules for known agents compare that name.
std::vector<std::string> known_words(const options::RunRequest& request, const AgentChoice& choice,
                                     const adapters::LaunchPlan& launch);

// An error if the agent would refuse to run as root with these words.
base::Status check_privileges(const options::RunRequest& request, const AgentChoice& choice,
                              const adapters::LaunchPlan& launch);

}  // namespace orch::setup
