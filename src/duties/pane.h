#pragma once

#include <span>
#include <string>

namespace orch::duties {

// `orch pane DOOR`, which only orch itself has a multiplexer start: holds a pane for the agent of a
// host that waits at DOOR (pane/pane_duty.h). Ends as the agent did; 125: no host; 2: nobody
// started it so.
int run_pane(std::span<const std::string> arguments);

}  // namespace orch::duties
