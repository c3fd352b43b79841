#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "forge/github.h"

// One look at a pull request and the checks of a commit: one request of GraphQL. Pure.
namespace orch::forge {

enum class CheckState : uint8_t {
  kGreen,    // success, neutral, skipped
  kPending,  // it has not ended
  kRed,      // failure, error, timed out
  kUnclear,  // a user has to look: cancelled, action required, start-up failure, stale, a new word
};

struct Check {
  std::string name, workflow;
  CheckState state = CheckState::kUnclear;
  std::string word;  // the forge's own: FAILURE, IN_PROGRESS, ...
  int64_t job = 0;   // of GitHub Actions, the log of which can be asked for; 0: another system's
  std::string url;
};

// A conversation at a line of the change, or a review, or a comment on the pull request.
struct Remark {
  std::string id;
  Comment text;
  std::string place;        // "src/a.cc:12"; ""
  bool is_new_here = true;  // it was not written about an earlier commit
};

struct Review {
  std::string id, author, role, state;  // APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED
  bool is_of_head = false;              // it was written about the commit that is the head now
};

struct LookedAt {
  PullRequest pr;         // number 0: there is none
  int pull_requests = 0;  // of this branch that are open
  bool is_draft = false, in_merge_queue = false;
  std::string mergeable, review_decision;
  std::string base_oid;
  std::vector<Remark> remarks;  // unresolved, the oldest first
  std::vector<Review> reviews;  // the latest of each reviewer
  bool has_more_remarks = false;

  bool knows_commit = false;  // the forge has the commit
  std::string rollup;         // the forge's own word for all checks; "" without checks
  std::vector<Check> checks;
  int64_t checks_in_all = 0;
  std::string next_checks;  // the cursor of the next page; "": there is none
};

// `oid`: the commit; `head`: the branch, of which `owner` is the owner of the repository that has
// it.
Words look_call(const RepositoryName& repository, const std::string& head, const std::string& oid);
base::Result<LookedAt> look_of(const base::Json& data, std::string_view owner);

// A further page of checks, which is added to the look; with the cursor "" the first one.
Words checks_call(const RepositoryName& repository, const std::string& oid,
                  const std::string& cursor);
base::Status add_checks(const base::Json& data, LookedAt& look);

// The log of a job of GitHub Actions. The answer's body is the log.
Words log_call(const RepositoryName& repository, int64_t job);

}  // namespace orch::forge
