#pragma once

#include <map>
#include <string>

#include "adapters/registry.h"

namespace orch::meta {

// Filters orch's variables for a meta-agent's process: it gets the keys of its own vendor, which
// its manifest names, but no other keys, and no way to the keys of SSH.
std::map<std::string, std::string> agent_variables(
    const std::map<std::string, std::string>& variables, const adapters::Manifest& agent,
    const adapters::Registry& agents);

}  // namespace orch::meta
