#pragma once

#include <span>
#include <string>

namespace orch::duties {

// `orch hook [JSON]`, what agents are told to run when something happens: passes a notice of the
// JSON (of standard input when not given) to the session that $ORCH_NOTICES names. Whatever goes
// wrong, the agent must not be troubled by it: the exit code is always 0, nothing is printed, and
// it does not wait for a session that is gone.
int run_hook(std::span<const std::string> arguments);

}  // namespace orch::duties
