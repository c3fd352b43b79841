#pragma once

#include <string>
#include <vector>

namespace orch::adapters {

// How an agent is started as one of the Agent Client Protocol, which it speaks on standard input
// and output.
struct AcpSpec {
  std::vector<std::string> arguments;  // after the program; {options} stands for those of the run
  // The id of the mode that makes it ask before it acts; orch sets this mode. "": it has no modes,
  // or they are not known, and the agent stays in its first one.
  std::string asks;
  bool checks_calls = false;  // the hooks of its calls (CallSpec) run in this mode, too
  // It names a shell's command by the title of the call alone.
  bool title_is_command = false;

  bool any() const { return !arguments.empty(); }
};

class Members;
void acp_members(Members& in, AcpSpec& spec);

}  // namespace orch::adapters
