#pragma once

#include <string>

namespace orch::store {

// Whether the agent of a run has taken the message "RUN/m3", as the run's events say. False if the
// events are gone or do not say.
bool was_accepted(const std::string& state_dir, const std::string& message);

}  // namespace orch::store
