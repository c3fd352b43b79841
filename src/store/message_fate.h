#pragma once

#include <string>

namespace orch::store {

// Whether the agent of a run has taken a message, "RUN/m3", as the run's events tell. False where
// they are not there any more, or do not say.
bool was_accepted(const std::string& state_dir, const std::string& message);

}  // namespace orch::store
