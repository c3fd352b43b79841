#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace orch::mux {

// The result of a multiplexer's command.
struct Answered {
  int code = 0;      // exit code, as a shell reports it: 128+n for signal n
  std::string said;  // both of its outputs together
};

// Runs a command with nothing to read, and waits for it, 5 s at most; then it is killed. This
// blocks, so it is for code that has nothing else to do. Errors are those of spawn_child().
base::Result<Answered> run_tool(const std::vector<std::string>& argv,
                                const std::vector<std::string>& env);

}  // namespace orch::mux
