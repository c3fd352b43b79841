#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::session {

// A variable that a tool sets for the processes that it starts itself: a hook of git's, the recipe
// of a makefile, a script of npm's. orch may be one of them; its agents, gates and tools are not.
struct CallerVariable {
  std::string_view name;  // a prefix of names if it ends with '*'
  // The tool has set it only if one of these (names or prefixes, separated by blanks) is set, too;
  // otherwise the user has. "": it is always the tool's.
  std::string_view beside;
  // The tool has set it only if this is in its value. "": whatever the value is.
  std::string_view value;
  std::string_view why;  // its effect on an agent
};

// The one list of them, documented in docs/internals/caller-variables.md.
std::span<const CallerVariable> caller_variables();

// Takes the caller's variables out of an environment (NAME=VALUE each) and returns them.
std::vector<std::string> take_caller_variables(std::vector<std::string>& environment);

// The same for this process's environment: nothing that it starts inherits them. To be called once,
// before there are threads.
void leave_caller();

// The entries (NAME=VALUE) that leave_caller() has removed: a user passes one on by --env NAME.
const std::vector<std::string>& left_variables();

}  // namespace orch::session
