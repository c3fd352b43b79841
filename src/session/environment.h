#pragma once

#include <map>
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
