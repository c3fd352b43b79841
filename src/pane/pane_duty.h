#pragma once

#include <string>

namespace orch::pane {

// The process in a pane of a multiplexer that holds its terminal for a host elsewhere. It gives the
// terminal up as its own controlling terminal and hands it to the host that waits at `door`
// (pane_link.h), so that the host's agent, a child of the host's, can have it; the pane lives as
// long as this process. Then it does as the host orders (pane_message.h) and knows nothing of the
// agent. It ends when the host says so, when the host is gone, or when the terminal is.
//
// Returns an exit code, or ends this process by the signal that the agent died of.
int serve_pane(const std::string& door);

}  // namespace orch::pane
