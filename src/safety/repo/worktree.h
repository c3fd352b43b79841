#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/run_checks.h"

namespace orch::repo {

// A folder where the run of an issue works instead of in its user's: a linked worktree of git,
// <repository>.orch/<issue>, on a branch of its own, orch/<issue>. git is run by git_program.h.
// Processes that make or remove worktrees of the same repository take turns (folder_lock.h).
struct WorktreeRequest {
  std::string repository;  // the root of the repository; absolute, without links
  std::string issue;       // checked by check_issue_name()
  std::string folder;      // absolute; the agent is to run in its counterpart in the worktree
  enum class Earlier : uint8_t {
    kRefuse,  // an existing worktree or branch of that name is an error
    kReuse,   // it is this issue's: the run continues where an earlier one has ended
  };
  Earlier earlier = Earlier::kRefuse;
  bool has_run = true;  // a run of the issue is recorded, so orch retry can go on with its work
};

struct Worktree {
  std::string repository;
  std::string path;    // the root of the worktree
  std::string folder;  // the folder in it where the agent is to run
  std::string branch;  // "orch/42"
  bool created = false;
  // A line for each thing missing in it (submodules, Git LFS).
  std::vector<std::string> notes;
};

// The path and branch of a worktree that is to be made. Looks at nothing.
Worktree planned_worktree(const WorktreeRequest& wanted);

// Finds the obstacles that open_worktree() would refuse, without making anything, so that a caller
// that wants many gets an error at once. `wanted` applies to all issues, but has_run not to those
// of `without_run`. Making a worktree can still fail.
base::Status check_worktrees(WorktreeRequest wanted, const std::vector<std::string>& issues,
                             const std::vector<std::string>& without_run = {});

// Whether the folder has changes that a worktree would lack: uncommitted or untracked ones.
base::Result<bool> has_uncommitted(const std::string& folder);

// Makes the worktree. One that was removed by hand is first taken out of git's records. Usage
// errors, in one line each, name the obstacle and the remedy: no repository, a bare one, one
// without a commit, a path or a branch that exists already. Then nothing is left.
base::Result<Worktree> open_worktree(const WorktreeRequest& wanted);

// Removes the worktree if no work in it would be lost: nothing is uncommitted or untracked, and
// there is no hidden work (hidden_work.h); other ignored files do not count. Also removes its
// branch, unless that has commits that no other branch or tag has. Anything doubtful, or that
// cannot be removed, is kept.
store::WorktreeEnd leave_worktree(const Worktree& worktree);

// Removes a worktree of orch's own and its branch, whatever is in them.
base::Status discard_worktree(const Worktree& worktree);

// The output of `orch internal open-worktree`. Paths may be any bytes, so it is not JSON but fields
// that end with NUL.
std::string to_fields(const base::Result<Worktree>& opened);
base::Result<Worktree> opened_from_fields(std::string_view text);

}  // namespace orch::repo
