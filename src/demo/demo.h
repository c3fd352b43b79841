#pragma once

#include <span>
#include <string>

namespace orch::demo {

// The demo agent as a process: takes over the terminal on stdin and stdout until the agent leaves
// or the terminal hangs up, and returns the exit code. Options, each also read from the environment
// (--lines 50 is ORCH_DEMO_LINES=50): --scenario NAME, --seed N, --speed F, --lines N, --log FILE.
// To the log one JSON line {"message":"..."} is appended per message accepted. A wrong option or a
// stdin that is no terminal is one line on stderr and code 2; --help prints the scenarios.
int run_demo_agent(std::span<const std::string> args);

}  // namespace orch::demo
