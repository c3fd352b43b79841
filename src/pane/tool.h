#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace orch::pane {

// What the command of a multiplexer left behind.
struct Answered {
  int code = 0;      // as a shell tells it: 128+n for signal n
  std::string said;  // on both of its outputs
};

// Runs a command with nothing to read and waits for it, 5 s at most; then it is killed. For who has
// nothing else on its hands: this blocks. Errors are those of spawn_child().
base::Result<Answered> run_tool(const std::vector<std::string>& argv,
                                const std::vector<std::string>& env);

}  // namespace orch::pane
