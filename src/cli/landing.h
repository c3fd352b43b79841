#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/find.h"
#include "forge/repository_name.h"
#include "issue/landing_record.h"
#include "repo/landing.h"
#include "repo/worktree.h"
#include "store/run_record.h"

namespace orch::cli {

struct LandOptions {
  std::vector<std::string> issues;
  std::string base, remote, message;
  std::vector<std::string> allow_files;
  bool merge = false;  // into the local base branch, instead of a pull request
  bool merge_commit = false, anyway = false, dry_run = false, keep_going = false, json = false;
  std::optional<std::string> state_dir;
};

// How `orch land` of one issue has ended.
struct Landed {
  // The word of `result` in --json: opened, updated, unchanged, merged, planned, nothing, refused,
  // failed, later.
  std::string state;
  int code = 0;
  std::string detail;  // one line, for people
  std::string issue, branch, base, commit, url;
  int64_t pull_request = 0;
  std::vector<store::GateRun> gates;
};

// The runs of an issue in its worktree, or of the winner of its race, and what is known of where
// their work lands.
struct IssueRuns {
  std::vector<store::RunRecord> runs;  // the oldest first; the last is the newest
  std::vector<std::string> folders;    // of the same runs
  store::RunBase base;
  std::string key;
  std::string number;  // the issue's; its runs have another name if they won a race
  const store::RunRecord& newest() const { return runs.back(); }
};
// kNotFound: the issue has no run here. kUsage: it had no worktree.
base::Result<IssueRuns> runs_of_issue(const client::Place& place, const std::string& issue);

// The repository that has the issue and its pull request, and the one with the branch. An error is
// kUsage: no remote is on a forge that orch knows.
struct ForgeOfIssue {
  forge::RepositoryName project, source;
  std::string push_url;
  std::string number;  // of the issue; "": its text is not from the forge
};
base::Result<ForgeOfIssue> forge_of(const IssueRuns& runs, const LandOptions& options);

// Removes worktree and branch of an issue once its pull request is merged, unless something in them
// is not in it.
void remove_landed(const IssueRuns& runs, const issue::LandingRecord& record);

Landed land_issue(const LandOptions& options, const client::Place& place, const std::string& word);

}  // namespace orch::cli
