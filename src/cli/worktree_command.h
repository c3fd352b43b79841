#pragma once

#include <span>
#include <string>

namespace orch::cli {

// `orch leave-worktree --repository D --path D --branch NAME --to FILE`, which only orch itself
// starts, when a run has completed: removes its worktree if nothing would be lost, and writes what
// became of it as JSON (store::WorktreeEnd).
int run_leave_worktree(std::span<const std::string> words);

}  // namespace orch::cli
