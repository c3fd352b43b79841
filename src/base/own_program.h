#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

// The programs that orch starts itself, unfenced and as its user - git, bwrap, tmux, docker -, as
// opposed to an agent's.
namespace orch::base {

// Asked about the place of each such program, a path without symbolic links: the folder around it
// in which agents may write, "" where there is none.
using WrittenByAgents = std::function<std::string(const std::string& path)>;
// Who is asked from now on; until it is said no place is suspect.
void distrust_places(WrittenByAgents written_by_agents);
// What is answered for this path now.
std::string folder_of_agents(const std::string& path);

// The same for the place of a program: its name's, or, where that is a link, the program's own. An
// agent's program that lies there is started inside of a fence alone.
std::string folder_of_agents_with(const std::string& program);

// The first file of that name along $PATH, an absolute path. Entries that are not absolute do not
// count. Errors: kNotFound where there is none; a usage error, one line that names it, where it, or
// what it is a link to, lies in a folder that agents may write.
Result<std::string> own_program(std::string_view name);

// $PATH without such folders, for what those programs start in turn.
std::string own_path_variable();

}  // namespace orch::base
