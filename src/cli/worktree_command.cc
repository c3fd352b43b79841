#include "cli/worktree_command.h"

#include "cli/command.h"
#include "repo/worktree.h"
#include "store/atomic_file.h"

namespace orch::cli {

int run_leave_worktree(std::span<const std::string> words) {
  repo::Worktree worktree;
  std::string to;
  for (size_t i = 0; i + 1 < words.size(); i += 2) {
    if (words[i] == "--repository") worktree.repository = words[i + 1];
    if (words[i] == "--path") worktree.path = words[i + 1];
    if (words[i] == "--branch") worktree.branch = words[i + 1];
    if (words[i] == "--to") to = words[i + 1];
  }
  if (worktree.repository.empty() || worktree.path.empty() || worktree.branch.empty() ||
      to.empty()) {
    return report(base::usage_error("orch leave-worktree is orch's own command"));
  }
  const base::Status written =
      store::write_file_unsynced(to, store::to_json(repo::leave_worktree(worktree)));
  return written ? 0 : report(written.error());
}

}  // namespace orch::cli
