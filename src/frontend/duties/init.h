#pragma once

#include <span>
#include <string>

namespace orch::duties {

// `orch internal init CWD -- COMMAND...`, which only orch itself starts: the process between a host
// and its agent (pty/init_duty.h). Its standard input is the socket to the host, its standard
// output the agent's terminal. Returns 0, or 2 if the arguments are wrong.
int run_init(std::span<const std::string> arguments);

}  // namespace orch::duties
