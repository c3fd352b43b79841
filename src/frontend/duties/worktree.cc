#include "duties/worktree.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "setup/git_fence.h"
#include "ui/error_line.h"

namespace orch::duties {

store::WorktreeEnd leave_fenced(const repo::Worktree& worktree) {
  const base::Result<std::string> said = setup::in_git_fence(
      worktree.repository, [&worktree] { return store::to_json(repo::leave_worktree(worktree)); });
  base::Result<store::WorktreeEnd> end = said ? store::worktree_end_from_json(*said) : said.error();
  if (end) return std::move(end).value();
  store::WorktreeEnd kept;
  kept.path = worktree.path;
  kept.branch = worktree.branch;
  kept.why = end.error().text;
  return kept;
}

int run_open_worktree(std::span<const std::string> words) {
  using Earlier = repo::WorktreeRequest::Earlier;
  const pid_t host = ::getppid();
  std::signal(SIGPIPE, SIG_IGN);  // the host may be gone by the time that there is an answer
  repo::WorktreeRequest wanted;
  for (size_t i = 0; i + 1 < words.size(); i += 2) {
    if (words[i] == "--repository") wanted.repository = words[i + 1];
    if (words[i] == "--issue") wanted.issue = words[i + 1];
    if (words[i] == "--folder") wanted.folder = words[i + 1];
    if (words[i] == "--earlier" && words[i + 1] == "reuse") wanted.earlier = Earlier::kReuse;
  }
  if (wanted.repository.empty() || wanted.issue.empty() || wanted.folder.empty()) {
    return ui::report(base::usage_error("orch internal open-worktree is orch's own command"));
  }
  const base::Result<std::string> fields = setup::in_git_fence(
      wanted.repository, [&wanted] { return repo::to_fields(repo::open_worktree(wanted)); });
  const base::Result<repo::Worktree> opened =
      fields ? repo::opened_from_fields(*fields) : fields.error();
  const std::string told = repo::to_fields(opened);
  const bool heard = std::fwrite(told.data(), 1, told.size(), stdout) == told.size() &&
                     std::fflush(stdout) == 0 && ::getppid() == host;
  // The process that asked has been killed, and nobody else would remove the worktree.
  if (!heard && opened && opened->created) leave_fenced(*opened);
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
    return ui::report(base::usage_error("orch internal leave-worktree is orch's own command"));
  }
  const store::WorktreeEnd end = leave_fenced(worktree);
  std::fprintf(stderr, "%s\n", store::to_json(end).c_str());
  return end.kept ? 1 : 0;
}

}  // namespace orch::duties
