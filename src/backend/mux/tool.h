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

// Runs a command as pty::run_tool() does, which is looked for as one of orch's own programs. One
// that takes more than 5 s, or says more than 4 MB, is killed, and has the code of that.
base::Result<Answered> run_tool(const std::vector<std::string>& argv,
                                const std::vector<std::string>& env);

}  // namespace orch::mux
