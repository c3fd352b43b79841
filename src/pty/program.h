#pragma once

#include <fcntl.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orch::pty {

// The file that `name` means, as execvp finds it: a name with a slash is itself, any other is
// looked for in `path` ("dir:dir", an empty dir is the directory itself). Relative names are
// relative to `directory`, an open descriptor. Errors, their text beginning with `name`: kNotFound,
// kNotExecutable (it is there, but a directory or without permission).
base::Result<std::string> find_program(std::string_view name, std::string_view path,
                                       int directory = AT_FDCWD);

// The error of an execve of `file` (found as above) that failed with `errno_value`. An ENOENT then
// means a missing interpreter, which is named if the file begins with "#!".
base::Error exec_error(std::string_view name, const std::string& file, int directory,
                       int errno_value);

// This process becomes the program, which is looked for along its own PATH; at least one word. It
// returns where that fails.
base::Error become(const std::vector<std::string>& words);

}  // namespace orch::pty
