#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

// The programs that orch itself starts, as its user and without a fence (git, bwrap, tmux, docker),
// as opposed to an agent's program.
namespace orch::base {

// Returns the folder around a path (without symbolic links) in which agents may write; "" if there
// is none.
using WrittenByAgents = std::function<std::string(const std::string& path)>;
// Sets the function that decides; before that no place is suspect.
void distrust_places(WrittenByAgents written_by_agents);
// What that function returns for this path.
std::string folder_of_agents(const std::string& path);

// The same for a program: for the folder of its name, or else for the file that its link leads to.
// An agent's program in such a place is started only inside a fence.
std::string folder_of_agents_with(const std::string& program);

// The absolute path of the first file with that name along $PATH. Entries that are not absolute do
// not count. Errors: kNotFound if there is none; a usage error, one line that names the file, if
// it, or the file that it is a link to, is in a folder where agents may write.
Result<std::string> own_program(std::string_view name);

// $PATH without such folders, for what those programs start themselves.
std::string own_path_variable();

}  // namespace orch::base
