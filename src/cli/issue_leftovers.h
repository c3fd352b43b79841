#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace orch::cli {

// A record of a landing or a race, or a branch of a race, that gc has removed, or would.
struct IssueLeftover {
  std::string kind;   // "landing", "race", "branch"
  std::string name;   // of the issue or the branch
  std::string why;    // after the name: "which is merged"
  std::string error;  // why it is still there; ""
};

// Removes the records of landings whose repository is gone, or which were merged longer ago than
// `max_age_ms`; the branches of agents that lost a race, at once if the winner is merged, otherwise
// after that time; the records of races without branches; and, if the forge says that its pull
// request is merged, worktree and branch of an issue. Anything that somebody holds or has changed
// stays. With `dry_run` all of it stays.
std::vector<IssueLeftover> sweep_issues(const std::string& state_dir, int64_t max_age_ms,
                                        bool dry_run);

}  // namespace orch::cli
