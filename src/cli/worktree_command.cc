#include "cli/worktree_command.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "cli/command.h"
#include "repo/worktree.h"

namespace orch::cli {

int run_open_worktree(std::span<const std::string> words) {
  using Earlier = repo::WorktreeWish::Earlier;
  const pid_t host = ::getppid();
  std::signal(SIGPIPE, SIG_IGN);  // the host may be gone by the time that there is an answer
  repo::WorktreeWish wish;
  for (size_t i = 0; i + 1 < words.size(); i += 2) {
    if (words[i] == "--repository") wish.repository = words[i + 1];
    if (words[i] == "--issue") wish.issue = words[i + 1];
    if (words[i] == "--folder") wish.folder = words[i + 1];
    if (words[i] == "--earlier" && words[i + 1] == "reuse") wish.earlier = Earlier::kReuse;
  }
  if (wish.repository.empty() || wish.issue.empty() || wish.folder.empty()) {
    return report(base::usage_error("orch open-worktree is orch's own command"));
  }
  const base::Result<repo::Worktree> opened = repo::open_worktree(wish);
  const std::string told = repo::to_fields(opened);
  const bool heard = std::fwrite(told.data(), 1, told.size(), stdout) == told.size() &&
                     std::fflush(stdout) == 0 && ::getppid() == host;
  // Whoever wanted it was killed meanwhile: nobody else would take it away.
  if (!heard && opened && opened->created) repo::leave_worktree(*opened);
  return heard ? 0 : 1;
}

int run_leave_worktree(std::span<const std::string> words) {
  repo::Worktree worktree;
  for (size_t i = 0; i + 1 < words.size(); i += 2) {
    if (words[i] == "--repository") worktree.repository = words[i + 1];
    if (words[i] == "--path") worktree.path = words[i + 1];
    if (words[i] == "--branch") worktree.branch = words[i + 1];
  }
  if (worktree.repository.empty() || worktree.path.empty() || worktree.branch.empty()) {
    return report(base::usage_error("orch leave-worktree is orch's own command"));
  }
  const store::WorktreeEnd end = repo::leave_worktree(worktree);
  std::fprintf(stderr, "%s\n", store::to_json(end).c_str());
  return end.kept ? 1 : 0;
}

}  // namespace orch::cli
