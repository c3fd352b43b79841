#pragma once

#include <span>
#include <string>

namespace orch::duties {

// `orch hook [JSON]`, the command that agents run as their hook: sends a notice, made of the JSON
// (from standard input if it is not given), to the session that $ORCH_NOTICES names. It must never
// trouble the agent: the exit code is always 0, nothing is printed, and it does not wait for a
// session that is gone.
int run_hook(std::span<const std::string> arguments);

}  // namespace orch::duties
