#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::session {

// The environment of an agent: `inherited` (K=V each) without what describes the terminal or CI
// system orch itself runs in - the agent has a terminal of its own -, with TERM and COLORTERM of
// that terminal, the variables that the manifest and the user add, which may be removed ones, and
// the marks (pty/run_mark.h) by which what it leaves
// behind is found.
std::vector<std::string> agent_environment(const std::vector<std::string>& inherited,
                                           const std::map<std::string, std::string>& added,
                                           std::string_view run_id);

// A variable that is for the agent alone - a task's or a model's choice - passes through processes
// of orch's own under a name with this beginning, which nothing obeys: no loader, no shell, no git.
inline constexpr std::string_view kForAgent = "ORCH_FOR_AGENT_";

// What a variable that is to reach the agent is worth here: what came for the agent alone, else
// orch's own. Nothing where there is neither.
struct GivenVariable {
  std::string value;
  bool own = true;  // orch's own: a person's; else somebody's who decides nothing but for the agent
};
std::optional<GivenVariable> given_variable(const std::string& name);

// The environment of the process that is to become the agent (`orch launch`, perhaps by bwrap):
// that of orch, with the agent's beside it for the agent alone. The marks are the agent's.
std::vector<std::string> launcher_environment(const std::vector<std::string>& own,
                                              const std::vector<std::string>& agent);
// The agent's, as it comes out of that again.
std::vector<std::string> launched_environment(const std::vector<std::string>& launcher);

// What an agent gets in an enclosure, beside what all processes have there: nothing of this
// machine's but the terminal that orch draws, and what the manifest and the user add.
std::map<std::string, std::string> enclosed_environment(std::map<std::string, std::string> added);

// Makes the environment that of a part of its run, or of what it is of otherwise, which is found by
// this mark as well.
void add_mark(std::string_view id, std::vector<std::string>& env);

// The value of a variable in an environment; "" when it is not set.
std::string_view value_in(const std::vector<std::string>& env, std::string_view key);

// This process's environment.
std::vector<std::string> own_environment();

}  // namespace orch::session
