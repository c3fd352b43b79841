#include "host/worktree_desk.h"

#include <string>
#include <utility>

#include "base/log.h"
#include "base/own_program.h"
#include "base/text.h"
#include "session/environment.h"

namespace orch::host {
namespace {

constexpr const char* kSelf = "/proc/self/exe";

base::Result<repo::Worktree> opened_by(const pty::ToolEnd& end,
                                       const repo::WorktreeRequest& wanted) {
  if (end.ok) return repo::opened_from_fields(end.output);
  std::string why = base::printable(base::trim(end.errors));
  if (end.timed_out) why = "git took longer than 5 minutes";
  if (why.empty()) why = "the process that was to make it died";
  return base::Error{base::ErrorCode::kSystem, "--worktree: issue " + wanted.issue + ": " + why};
}

}  // namespace

WorktreeDesk::WorktreeDesk(loop::Loop& loop)
    : git_(loop, session::own_environment(), {.patience_ms = kPatienceMs}) {}

void WorktreeDesk::open(const repo::WorktreeRequest& wanted,
                        std::function<void(base::Result<repo::Worktree>)> on_opened) {
  const bool reuse = wanted.earlier == repo::WorktreeRequest::Earlier::kReuse;
  git_.run({kSelf, base::kInternal, "open-worktree", "--repository", wanted.repository, "--issue",
            wanted.issue, "--folder", wanted.folder, "--earlier", reuse ? "reuse" : "refuse"},
           [wanted, on_opened = std::move(on_opened)](const pty::ToolEnd& end) {
             on_opened(opened_by(end, wanted));
           });
}

void WorktreeDesk::leave(const repo::Worktree& worktree, std::function<void()> on_left) {
  git_.run({kSelf, base::kInternal, "leave-worktree", "--repository", worktree.repository, "--path",
            worktree.path, "--branch", worktree.branch},
           [path = worktree.path, on_left = std::move(on_left)](const pty::ToolEnd& end) {
             if (!end.ok) base::log_warn("host", "worktree kept: " + base::printable(path));
             on_left();
           });
}

}  // namespace orch::host
