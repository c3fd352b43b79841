#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "repo/git_places.h"

namespace orch::repo {

// The commit that is checked out in the repository of a folder, as hexadecimal digits; "" outside
// of a repository, before its first commit, and if the references are stored in a format that is
// not known here (reftable). Reads the files instead of running git: an agent can write the
// repository's configuration, and programs that it names must not run in the host.
std::string git_head(const std::string& folder);

// The same for a git directory whose files `read` returns, for instance in an earlier state. `read`
// gets a path and the number of bytes that are useful at most, and returns nullopt if the file does
// not exist.
using GitReader =
    std::function<std::optional<std::string>(const std::string& path, size_t max_bytes)>;
std::string git_head(const GitFolder& git, const GitReader& read);

}  // namespace orch::repo
