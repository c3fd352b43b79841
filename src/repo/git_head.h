#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "repo/git_places.h"

namespace orch::repo {

// The commit that is checked out in the repository of a folder, as hexadecimal digits; "" outside
// of a repository, before its first commit, and where its references are kept in a way that is not
// known here (reftable). The files are read and git is not asked: an agent writes in the
// repository's configuration, and what that names must not run in its host.
std::string git_head(const std::string& folder);

// The same of a git directory whose files `read` gives, of an earlier time, say: it is called with
// a path and the most bytes that are of use, and gives nothing where there is no such file.
using GitReader =
    std::function<std::optional<std::string>(const std::string& path, size_t max_bytes)>;
std::string git_head(const GitFolder& git, const GitReader& read);

}  // namespace orch::repo
