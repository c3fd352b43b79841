#pragma once

#include <functional>
#include <string>

#include "base/result.h"

namespace orch::setup {

// Runs `work`, which makes or removes worktrees, in a process of its own inside a fence, and
// returns its result. git obeys files in the repository that an agent may have written: links in
// .git, filters in other files. In the fence the process can write only git's folders of the
// repository and `<repository>.orch`, and read no keys. Without Landlock this machine has no fence,
// and `work` runs without one. An error if the fence cannot be raised, or if the process did not
// end by itself. `repository` is a path without links. Blocks; not for a process with other threads
// that may hold locks, because it forks.
base::Result<std::string> in_git_fence(const std::string& repository,
                                       const std::function<std::string()>& work);

// The same for functions that only read. If a fence cannot be granted there (a home directory),
// they run without one.
base::Result<std::string> read_in_git_fence(const std::string& repository,
                                            const std::function<std::string()>& read);
base::Status look_in_git_fence(const std::string& repository,
                               const std::function<base::Status()>& look);

}  // namespace orch::setup
