#pragma once

#include <string>

#include "base/result.h"

namespace orch::repo {

// Finds work in a worktree that `git status` does not report and that would go with it:
// repositories in ignored folders (a linked worktree, or a clone with uncommitted files or with
// commits that none of its remotes has), edits of files that the index marks as "assume-unchanged"
// or "skip-worktree", and folders that cannot be looked into. Returns the first of it as a phrase
// ("build/x is a git worktree of its own"), or "" if there is none. Blocking; runs git by
// git_program.h.
base::Result<std::string> find_hidden_work(const std::string& worktree);

}  // namespace orch::repo
