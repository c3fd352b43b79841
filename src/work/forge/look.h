#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// What a forge says of an issue, and of the pull request that is to close it. GitLab's words are
// written as GitHub's: a merge request is a pull request.
namespace orch::forge {

struct Comment {
  std::string id, author, body, url;
  int64_t author_id = 0;  // of GitLab
  // GitHub's authorAssociation: OWNER, MEMBER, COLLABORATOR, CONTRIBUTOR, NONE, ...; GitLab has
  // none.
  std::string role;
};

struct Issue {
  std::string number, title, url, state;
  Comment text;  // its author and body
  std::vector<Comment> comments;
  int64_t comments_in_all = 0;
};

struct PullRequest {
  int64_t number = 0;
  bool is_draft = false;
  std::string url, title, body, state;  // OPEN, CLOSED, MERGED
  std::string base, head_oid;
  std::string name;  // "pull request #7", "merge request !7"
};

struct NewPullRequest {
  std::string title, body, base;
  std::string head;  // the branch
};

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
  int64_t job = 0;   // of the forge's own CI, which has its log; 0: another system's
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
  bool in_merge_queue = false;
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

// Whether the role may write to a repository. Users with another role may all the same, if their
// membership is private.
bool is_member(std::string_view role);

}  // namespace orch::forge
