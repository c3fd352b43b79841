#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::session {

// The environment of an agent. Takes `inherited` (K=V each) and removes the variables that describe
// orch's own terminal or CI system (the agent has a terminal of its own) and those that orch's
// caller sets for its own children (caller_variables.h). Adds TERM and COLORTERM of the agent's
// terminal, the variables of the manifest and the user, which may be removed ones, and the marks
// (pty/run_mark.h) that identify the processes that the agent leaves behind.
std::vector<std::string> agent_environment(const std::vector<std::string>& inherited,
                                           const std::map<std::string, std::string>& added,
                                           std::string_view run_id);

// A variable that is meant for the agent alone (chosen by a task or a model) passes through orch's
// own processes under a name with this prefix, so that no loader, shell or git obeys it.
inline constexpr std::string_view kForAgent = "ORCH_FOR_AGENT_";

// The value that a variable for the agent has in this process: the one that came for the agent
// alone, or otherwise orch's own, even if leave_caller() has removed it. nullopt: neither is set.
struct GivenVariable {
  std::string value;
  bool own = true;  // orch's own, so the user's choice; false: came for the agent alone
};
std::optional<GivenVariable> given_variable(const std::string& name);

// The environment of the process that becomes the agent (`orch internal launch`, perhaps started by
// bwrap): orch's own, plus the agent's variables under the prefix. The marks are the agent's.
std::vector<std::string> launcher_environment(const std::vector<std::string>& own,
                                              const std::vector<std::string>& agent);
// The agent's environment, taken out of what launcher_environment() made.
std::vector<std::string> launched_environment(const std::vector<std::string>& launcher);

// The agent's variables in a container, in addition to the container's own: TERM and COLORTERM for
// orch's terminal, and those from the manifest and the user. No others come from this machine.
std::map<std::string, std::string> enclosed_environment(std::map<std::string, std::string> added);

// Adds an id to the marks in the environment of a process that belongs to its run but has an id of
// its own (a gate, say), so that either id finds the process.
void add_mark(std::string_view id, std::vector<std::string>& env);

// The value of a variable in an environment; "" when it is not set.
std::string_view value_in(const std::vector<std::string>& env, std::string_view key);

// This process's environment.
std::vector<std::string> own_environment();

}  // namespace orch::session
