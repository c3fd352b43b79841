#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::session {

// The environment of an agent: `inherited` (K=V each) without the variables that describe the
// terminal or the CI system orch itself runs in, for the agent has a terminal of its own, and
// without those that orch's caller sets for its own children (caller_variables.h); with TERM and
// COLORTERM of that terminal; with the variables that the manifest and the user add, which may
// be removed ones; and with the marks (pty/run_mark.h) by which the processes that it leaves behind
// are found.
std::vector<std::string> agent_environment(const std::vector<std::string>& inherited,
                                           const std::map<std::string, std::string>& added,
                                           std::string_view run_id);

// A variable that is meant for the agent alone (chosen by a task or a model) passes through orch's
// own processes under a name with this prefix, so that no loader, shell or git obeys it.
inline constexpr std::string_view kForAgent = "ORCH_FOR_AGENT_";

// The value that a variable for the agent has in this process: the one that came for the agent
// alone, or else orch's own, also if leave_caller() has removed it. Nothing if there is neither.
struct GivenVariable {
  std::string value;
  bool own = true;  // orch's own, so a person's choice; false: came for the agent alone
};
std::optional<GivenVariable> given_variable(const std::string& name);

// The environment of the process that is to become the agent (`orch launch`, perhaps started by
// bwrap): orch's own, with the agent's variables beside it under the prefix. The marks are the
// agent's.
std::vector<std::string> launcher_environment(const std::vector<std::string>& own,
                                              const std::vector<std::string>& agent);
// The agent's environment, taken out of what launcher_environment() made.
std::vector<std::string> launched_environment(const std::vector<std::string>& launcher);

// The variables that an agent gets in an enclosure beside those of all processes there: nothing of
// this machine's but TERM and COLORTERM of the terminal that orch draws, and what the manifest and
// the user add.
std::map<std::string, std::string> enclosed_environment(std::map<std::string, std::string> added);

// Marks the environment of a process that is a part of its run (a gate, say) with an id of its own
// as well, so that the process is found by either.
void add_mark(std::string_view id, std::vector<std::string>& env);

// The value of a variable in an environment; "" when it is not set.
std::string_view value_in(const std::vector<std::string>& env, std::string_view key);

// This process's environment.
std::vector<std::string> own_environment();

}  // namespace orch::session
