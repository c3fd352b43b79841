#pragma once

#include <string>

namespace orch::repo {

// The commit that is checked out in the repository of a folder, as hexadecimal digits; "" outside
// of a repository, before its first commit, and where its references are kept in a way that is not
// known here (reftable). The files are read and git is not asked: an agent writes in the
// repository's configuration, and what that names must not run in its host.
std::string git_head(const std::string& folder);

}  // namespace orch::repo
