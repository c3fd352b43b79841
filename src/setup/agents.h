#pragma once

#include <string>

#include "adapters/registry.h"
#include "base/result.h"
#include "setup/repository.h"

namespace orch::setup {

// Every known agent, with the user's manifests and those of this repository that are trusted; what
// is left out is named on standard error.
base::Result<adapters::Registry> load_agents(const std::string& repository);
base::Result<adapters::Registry> load_agents(const UserManifests& manifests);

// The agent called `name`; an error lists those that are known.
base::Result<const adapters::Manifest*> find_agent(const adapters::Registry& agents,
                                                   const std::string& name);

// The first installed of claude, codex, gemini, opencode.
base::Result<const adapters::Manifest*> default_agent(const adapters::Registry& agents);

// Is the agent part of this binary, or its program on the PATH?
bool is_installed(const adapters::Manifest& manifest);

// Agents whose program is this binary carry this word in its place.
inline constexpr const char* kSelf = "{orch}";

}  // namespace orch::setup
