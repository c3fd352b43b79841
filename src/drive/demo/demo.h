#pragma once

#include <span>
#include <string>

namespace orch::demo {

// The demo agent as a process: takes over the terminal on stdin and stdout until the agent leaves
// or the terminal hangs up, and returns the exit code. Options, which are also read from the
// environment (--lines 50 is ORCH_DEMO_LINES=50): --scenario NAME, --seed N, --speed F, --lines N,
// --lag MS, --log FILE, --session UUID, --resume UUID, --memory FOLDER. For each message that is
// accepted a JSON line {"message":"..."} is appended to the log. A wrong option, or a stdin or
// stdout that is not a terminal, leads to one line on stderr and code 2; --help prints the
// scenarios.
int run_demo_agent(std::span<const std::string> args);

}  // namespace orch::demo
