#pragma once

#include <string_view>

namespace orch::cli {

// Words that users of docker, git, tmux, npm and the agents' own command lines type from habit, and
// their equivalents in orch: "ps" means "orch sessions". "" without a known equivalent.
std::string_view command_meant_by(std::string_view word);
// The same for an option of a command; both without a value. `command` is "" before any command.
std::string_view option_meant_by(std::string_view command, std::string_view option);

}  // namespace orch::cli
