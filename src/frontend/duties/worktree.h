#pragma once

#include <span>
#include <string>

#include "repo/worktree.h"

namespace orch::duties {

// `orch internal open-worktree --repository D --issue NAME --folder D --earlier refuse|reuse`,
// which only orch itself starts, when an issue's turn has come: makes its worktree and prints it,
// or why that failed, on standard output (repo::to_fields). If no host reads that any more, the
// worktree is removed again.
int run_open_worktree(std::span<const std::string> words);

// `orch internal leave-worktree --repository D --path D --branch NAME`, which only orch itself
// starts, when a run has completed or was not started: removes its worktree if nothing would be
// lost, and prints the result as JSON (store::WorktreeEnd) to standard error, which the run reads
// from its helpers. A file would need room on the disk, and without it a worktree that is gone
// could be reported as kept. Exit code 1: it was kept.
int run_leave_worktree(std::span<const std::string> words);

// Does the same in this process; it waits for git.
store::WorktreeEnd leave_fenced(const repo::Worktree& worktree);

}  // namespace orch::duties
