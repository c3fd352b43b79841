#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/run_checks.h"

namespace orch::repo {

// The folder that a run of an issue works in instead of its user's: a linked worktree of git's,
// <repository>.orch/<issue>, on a branch of its own, orch/<issue>. git is run as git_program.h
// says.
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

// Makes it. Usage errors, one line each, name what is in the way and the remedy: no repository, a
// bare one, one without a commit, a path or a branch that is there already. Then nothing is left.
base::Result<Worktree> open_worktree(const WorktreeWish& wish);

// Removes the worktree, if nothing in it would be lost: nothing uncommitted or untracked, but what
// git ignores goes. And its branch, unless that has commits that no other branch or tag has. What
// cannot be told or removed is kept.
store::WorktreeEnd leave_worktree(const Worktree& worktree);

}  // namespace orch::repo
