#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/run_checks.h"

namespace orch::repo {

// The folder that a run of an issue works in instead of its user's: a linked worktree of git's,
// <repository>.orch/<issue>, on a branch of its own, orch/<issue>. git is run as git_program.h
// says. Those who make or remove one in the same repository at once do so one after the other
// (folder_lock.h).
struct WorktreeWish {
  std::string repository;  // its root; absolute, without links
  std::string issue;       // checked
  std::string folder;      // the repository's, in which the agent is to run; absolute
  enum class Earlier : uint8_t {
    kRefuse,  // a worktree or branch of that name is an error
    kReuse,   // it is this issue's: the run goes on where an earlier one ended
  };
  Earlier earlier = Earlier::kRefuse;
};

struct Worktree {
  std::string repository;
  std::string path;    // its root
  std::string folder;  // in it, where the agent is to run
  std::string branch;  // "orch/42"
  bool created = false;
  std::vector<std::string> notes;  // a line each: what is not there (submodules, Git LFS)
};

// Where it is to be, and on which branch. Asks nobody.
Worktree planned_worktree(const WorktreeWish& wish);

// What opening them would refuse, found without making anything: so that who asked for many is told
// at once. `wish` is of all issues alike. A worktree can fail to be made all the same.
base::Status check_worktrees(WorktreeWish wish, const std::vector<std::string>& issues);

// Makes it. Usage errors, one line each, name what is in the way and the remedy: no repository, a
// bare one, one without a commit, a path or a branch that is there already. Then nothing is left.
base::Result<Worktree> open_worktree(const WorktreeWish& wish);

// Removes the worktree, if nothing in it would be lost: nothing uncommitted or untracked, but what
// git ignores goes. And its branch, unless that has commits that no other branch or tag has. What
// cannot be told or removed is kept.
store::WorktreeEnd leave_worktree(const Worktree& worktree);

// What `orch open-worktree` tells. Paths are bytes, so that it is no JSON: fields with NUL between.
std::string to_fields(const base::Result<Worktree>& opened);
base::Result<Worktree> opened_from_fields(std::string_view text);

}  // namespace orch::repo
