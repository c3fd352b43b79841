#pragma once

#include <string>
#include <vector>

#include "adapters/launch.h"
#include "base/result.h"
#include "session/session.h"
#include "setup/run_setup.h"

namespace orch::setup {

// What `orch run` starts its agent by; `self` is this binary, for agents that are part of it.
base::Result<adapters::LaunchPlan> launch_of(const options::RunRequest& request,
                                             const AgentChoice& choice, session::Mode mode,
                                             const std::string& self);

// The words of a launch as the rules for known agents see them: by the agent's own name.
std::vector<std::string> known_words(const options::RunRequest& request, const AgentChoice& choice,
                                     const adapters::LaunchPlan& launch);

// What the agent would refuse after it was started.
base::Status check_privileges(const options::RunRequest& request, const AgentChoice& choice,
                              const adapters::LaunchPlan& launch);

}  // namespace orch::setup
