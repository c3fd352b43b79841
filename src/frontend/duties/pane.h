#pragma once

#include <span>
#include <string>

namespace orch::duties {

// `orch internal pane DOOR`, which orch makes a multiplexer start: holds a pane for the agent of a
// host that waits at DOOR (mux/pane_duty.h). Exits with the agent's code; 125 without a host; 2 if
// the arguments are wrong.
int run_pane(std::span<const std::string> arguments);

}  // namespace orch::duties
