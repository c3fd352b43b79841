#pragma once

#include <span>
#include <string>

namespace orch::cli {

// `orch open-worktree --repository D --issue NAME --folder D --earlier refuse|reuse`, which only
// orch itself starts, when an issue's turn has come: makes its worktree and says on standard output
// which, or why not (repo::to_fields). Where nobody is left to hear it the worktree goes again.
int run_open_worktree(std::span<const std::string> words);

// `orch leave-worktree --repository D --path D --branch NAME [--to FILE]`, which only orch itself
// starts, when a run has completed or was not started: removes its worktree if nothing would be
// lost, and writes what became of it as JSON (store::WorktreeEnd).
int run_leave_worktree(std::span<const std::string> words);

}  // namespace orch::cli
