#pragma once

#include <functional>
#include <string>

#include "base/result.h"

namespace orch::setup {

// git obeys what lies in a repository, and an agent may have written that: links in .git, filters
// that another file brings. So what makes and removes worktrees is done in a process of its own
// that a fence holds, as far as this machine has Landlock: it can write git's folders of the
// repository and `<repository>.orch`, and read no keys. Returns what `work` returned; an error
// where the fence cannot be raised, or the process did not end by itself. `repository` is without
// links. Blocking; not for a process with other threads that may hold locks.
base::Result<std::string> in_git_fence(const std::string& repository,
                                       const std::function<std::string()>& work);

// The same for what only looks, where a repository cannot be granted - a home - without a fence.
base::Status look_in_git_fence(const std::string& repository,
                               const std::function<base::Status()>& look);

}  // namespace orch::setup
