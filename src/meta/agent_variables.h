#pragma once

#include <map>
#include <string>

#include "adapters/registry.h"

namespace orch::meta {

// Of orch's variables those that a meta-agent's process gets: no keys but those of its own vendor,
// as its manifest names them, and no way to the keys of SSH.
std::map<std::string, std::string> agent_variables(
    const std::map<std::string, std::string>& variables, const adapters::Manifest& agent,
    const adapters::Registry& agents);

}  // namespace orch::meta
