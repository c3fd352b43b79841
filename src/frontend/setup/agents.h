#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapters/registry.h"
#include "base/result.h"
#include "setup/repository.h"

namespace orch::setup {

// Loads all agents: the built-in ones, the user's manifests, and the trusted ones of this
// repository. Standard error names the manifests that are left out or wrong.
base::Result<adapters::Registry> load_agents(const std::string& repository);
base::Result<adapters::Registry> load_agents(const UserManifests& manifests);

// Finds the agent called `name`; an error lists the known ones, or says what is wrong with its
// manifest.
base::Result<const adapters::Manifest*> find_agent(const adapters::Registry& agents,
                                                   const std::string& name);

// Fails at the first of these words, each an agent or AGENT:MODEL, of which the agent is not known.
base::Status check_agents(const adapters::Registry& agents, const std::vector<std::string>& words);

// The first of claude, codex, gemini and opencode that is installed.
base::Result<const adapters::Manifest*> default_agent(const adapters::Registry& agents);

// Whether the agent is part of this binary, or its program is on the PATH.
bool is_installed(const adapters::Manifest& manifest);
bool is_installed(std::string_view program);  // the first word of the agent's program, or ""

// In a manifest, this word stands for this binary, for agents that are part of it.
inline constexpr const char* kSelf = "{orch}";

}  // namespace orch::setup
