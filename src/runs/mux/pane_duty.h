#pragma once

#include <string>

namespace orch::mux {

// The process in a pane of a multiplexer that holds the pane's terminal for a host, which is
// another process. It gives the terminal up as its own controlling terminal and hands it to the
// host that waits at `door` (pane_link.h), so that the host's agent, a child of the host, can have
// it. The pane lives as long as this process, which carries out the host's orders (pane_message.h)
// and knows nothing of the agent. It ends on the host's order, or when the host or the terminal is
// gone.
//
// Returns an exit code, or ends this process by the signal that has ended the agent.
int serve_pane(const std::string& door);

}  // namespace orch::mux
