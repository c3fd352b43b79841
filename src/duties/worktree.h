#pragma once

#include <span>
#include <string>

#include "repo/worktree.h"

namespace orch::duties {

// `orch open-worktree --repository D --issue NAME --folder D --earlier refuse|reuse`, which only
// orch itself starts, when an issue's turn has come: makes its worktree and says on standard output
// which, or why not (repo::to_fields). Where nobody is left to hear it the worktree goes again.
int run_open_worktree(std::span<const std::string> words);

// `orch leave-worktree --repository D --path D --branch NAME`, which only orch itself starts, when
// a run has completed or was not started: removes its worktree if nothing would be lost, and says
// on standard error, which is what the run reads of its helpers, as JSON what became of it
// (store::WorktreeEnd). A file would need room on the disk, and a worktree that is gone is not to
// be told as kept. Exit 1: it was kept.
int run_leave_worktree(std::span<const std::string> words);

// The same for whoever has the worktree at hand; it is git that waits.
store::WorktreeEnd leave_fenced(const repo::Worktree& worktree);

}  // namespace orch::duties
