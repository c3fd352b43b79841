#pragma once

#include <string>

#include "store/found.h"

namespace orch::store {

// Whether the agent of a run has taken the message "RUN/m3", according to the run's events: absent
// if the events are gone or do not say, unknown if they cannot be read.
Presence was_accepted(const std::string& state_dir, const std::string& message);

}  // namespace orch::store
