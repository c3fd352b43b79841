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

// Runs a command as pty::run_tool() does. The program is looked up as one of orch's own. A command
// that takes more than 5 s, or prints more than 4 MB, is killed, and its code says so.
base::Result<Answered> run_tool(const std::vector<std::string>& argv,
                                const std::vector<std::string>& env);

}  // namespace orch::mux
