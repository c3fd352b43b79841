#pragma once

#include <string>
#include <string_view>

#include "base/author.h"
#include "base/result.h"

// The programs that orch itself starts, as its user and without a fence (git, bwrap, tmux, docker),
// as opposed to an agent's program.
namespace orch::base {

// The first word of the commands that only orch itself starts, as in `orch internal guardian`.
inline constexpr const char* kInternal = "internal";

// The folder where agents may write (base/author.h) around a program's name, or otherwise around
// the file that its link leads to; "" if there is none. An agent's program in that folder is
// started only inside a fence.
std::string folder_of_agents_with(const std::string& program);

// The absolute path of the first file with that name along $PATH. Entries that are not absolute do
// not count. Errors: kNotFound if there is none; a usage error, one line that names the file, if
// it, or the file that it is a link to, is in a folder where agents may write.
Result<std::string> own_program(std::string_view name);

// $PATH without folders where agents may write, for the programs that those programs start.
std::string own_path_variable();

}  // namespace orch::base
