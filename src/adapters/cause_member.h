#pragma once

#include <optional>
#include <string>

#include "event/status.h"

namespace orch::adapters {

class Members;

// Reads a cause of a status; nullopt: of any.
void read_cause(Members& in, const std::string& key, std::optional<event::AgentStatus> status,
                event::Cause& out, const char* about);

}  // namespace orch::adapters
