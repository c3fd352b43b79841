#pragma once

#include <fcntl.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orch::pty {

// The file that `name` means, found as by execvp: a name with a slash is the file itself, any other
// is searched for in `path` ("dir:dir"; an empty entry is the directory itself). Relative names are
// relative to `directory`, an open descriptor. Errors begin with `name`: kNotFound, or
// kNotExecutable (it exists, but is a directory or lacks permission).
base::Result<std::string> find_program(std::string_view name, std::string_view path,
                                       int directory = AT_FDCWD);

// The error for an execve of `file` (found as above) that has failed with `errno_value`. ENOENT
// then means that the interpreter is missing, which is named if the file begins with "#!".
base::Error exec_error(std::string_view name, const std::string& file, int directory,
                       int errno_value);

// Replaces this process by the program `words`, at least one word, which is searched for along its
// own PATH. Returns only if that fails.
base::Error become(const std::vector<std::string>& words);

}  // namespace orch::pty
