#include "forge/github_look.h"

#include <algorithm>
#include <array>

#include "base/json.h"
#include "forge/answer.h"

namespace orch::forge {
namespace {

using base::Json;
using base::member;
using base::text_at;

constexpr std::string_view kRollup = R"(
fragment rollup on StatusCheckRollup {
  state
  contexts(first: 100, after: $cursor) {
    totalCount pageInfo { hasNextPage endCursor }
    nodes {
      __typename
      ... on CheckRun { databaseId name status conclusion detailsUrl
        checkSuite { app { slug } workflowRun { workflow { name } } } }
      ... on StatusContext { context state targetUrl }
    }
  }
})";

constexpr std::string_view kLook =
    R"(query($owner: String!, $repo: String!, $head: String!, $oid: GitObjectID!, $cursor: String) {
  repository(owner: $owner, name: $repo) {
    object(oid: $oid) { ... on Commit { oid statusCheckRollup { ...rollup } } }
    pullRequests(headRefName: $head, states: [OPEN, CLOSED, MERGED], first: 20,
                 orderBy: {field: CREATED_AT, direction: DESC}) {
      nodes {
        number url title body state isDraft mergeable reviewDecision isInMergeQueue
        headRepositoryOwner { login } headRefOid baseRefName baseRefOid
        reviewThreads(first: 50) {
          totalCount pageInfo { hasNextPage }
          nodes {
            id isResolved path line originalLine
            comments(first: 20) {
              totalCount
              nodes { id author { login } authorAssociation body url isMinimized
                      originalCommit { oid } }
            }
          }
        }
        latestReviews(first: 20) { nodes { id author { login } authorAssociation state body
                                           commit { oid } } }
        comments(last: 50) {
          totalCount pageInfo { hasPreviousPage }
          nodes { id author { login } authorAssociation body url isMinimized viewerDidAuthor }
        }
      }
    }
  }
})";

constexpr std::string_view kChecks =
    R"(query($owner: String!, $repo: String!, $oid: GitObjectID!, $cursor: String) {
  repository(owner: $owner, name: $repo) {
    object(oid: $oid) { ... on Commit { oid statusCheckRollup { ...rollup } } }
  }
})";

Words graphql(const RepositoryName& repository, std::string_view query, const std::string& oid) {
  Words words = graphql_call(repository, std::string(query) + std::string(kRollup));
  words.insert(words.end(), {"-f", "oid=" + oid});
  return words;
}

struct Meaning {
  std::string_view word;
  CheckState state;
};

template <size_t N>
CheckState meaning_in(const std::array<Meaning, N>& words, std::string_view word) {
  for (const Meaning& each : words) {
    if (each.word == word) return each.state;
  }
  return CheckState::kUnclear;
}

// CheckStatusState and CheckConclusionState of GitHub's public schema; a word that is not listed is
// never green.
CheckState state_of_run(const std::string& status, const std::string& conclusion) {
  constexpr auto kConclusions = std::to_array<Meaning>({{"SUCCESS", CheckState::kGreen},
                                                        {"NEUTRAL", CheckState::kGreen},
                                                        {"SKIPPED", CheckState::kGreen},
                                                        {"FAILURE", CheckState::kRed},
                                                        {"TIMED_OUT", CheckState::kRed}});
  constexpr auto kStatuses = std::to_array<Meaning>({{"QUEUED", CheckState::kPending},
                                                     {"IN_PROGRESS", CheckState::kPending},
                                                     {"WAITING", CheckState::kPending},
                                                     {"REQUESTED", CheckState::kPending},
                                                     {"PENDING", CheckState::kPending}});
  return status == "COMPLETED" ? meaning_in(kConclusions, conclusion)
                               : meaning_in(kStatuses, status);
}

CheckState state_of_context(const std::string& state) {
  constexpr auto kStates = std::to_array<Meaning>({{"SUCCESS", CheckState::kGreen},
                                                   {"FAILURE", CheckState::kRed},
                                                   {"ERROR", CheckState::kRed},
                                                   {"PENDING", CheckState::kPending},
                                                   {"EXPECTED", CheckState::kPending}});
  return meaning_in(kStates, state);
}

Check check_of(const Json& json) {
  Check check;
  if (text_at(json, "__typename") == "StatusContext") {
    check.name = text_at(json, "context");
    check.word = text_at(json, "state");
    check.state = state_of_context(check.word);
    check.url = text_at(json, "targetUrl");
    return check;
  }
  const std::string status = text_at(json, "status"), conclusion = text_at(json, "conclusion");
  const Json& suite = member(json, "checkSuite");
  check.name = text_at(json, "name");
  check.workflow = text_at(member(member(suite, "workflowRun"), "workflow"), "name");
  check.word = status == "COMPLETED" ? conclusion : status;
  check.state = state_of_run(status, conclusion);
  check.url = text_at(json, "detailsUrl");
  if (text_at(member(suite, "app"), "slug") == "github-actions") {
    check.job = number_of(json, "databaseId");
  }
  return check;
}

void take_rollup(const Json& commit, LookedAt& look) {
  look.knows_commit = commit.is_object() && !text_at(commit, "oid").empty();
  const Json& rollup = member(commit, "statusCheckRollup");
  look.rollup = text_at(rollup, "state");
  const Json& contexts = member(rollup, "contexts");
  look.checks_in_all = number_of(contexts, "totalCount");
  for (const Json& each : member(contexts, "nodes")) look.checks.push_back(check_of(each));
  const Json& page = member(contexts, "pageInfo");
  look.next_checks = flag_of(page, "hasNextPage") ? text_at(page, "endCursor") : "";
}

void take_threads(const Json& pr, LookedAt& look) {
  const Json& threads = member(pr, "reviewThreads");
  look.has_more_remarks |= flag_of(member(threads, "pageInfo"), "hasNextPage");
  for (const Json& thread : member(threads, "nodes")) {
    if (flag_of(thread, "isResolved")) continue;
    const Json& comments = member(thread, "comments");
    const Json& nodes = member(comments, "nodes");
    look.has_more_remarks |=
        nodes.is_array() && number_of(comments, "totalCount") > static_cast<int64_t>(nodes.size());
    const int64_t line = std::max(number_of(thread, "line"), number_of(thread, "originalLine"));
    for (const Json& each : nodes) {
      if (flag_of(each, "isMinimized")) continue;
      Remark& remark = look.remarks.emplace_back();
      remark.text = comment_of(each);
      remark.id = remark.text.id;
      remark.place = text_at(thread, "path") + ":" + std::to_string(line);
      remark.is_new_here = text_at(member(each, "originalCommit"), "oid") == look.pr.head_oid;
    }
  }
}

void take_reviews(const Json& pr, LookedAt& look) {
  for (const Json& each : member(member(pr, "latestReviews"), "nodes")) {
    const Comment text = comment_of(each);
    const bool is_of_head = text_at(member(each, "commit"), "oid") == look.pr.head_oid;
    look.reviews.push_back({text.id, text.author, text.role, text_at(each, "state"), is_of_head});
    if (text.body.empty()) continue;
    Remark& remark = look.remarks.emplace_back();
    remark.text = text;
    remark.id = text.id;
    remark.is_new_here = is_of_head;
  }
}

void take_comments(const Json& pr, LookedAt& look) {
  const Json& comments = member(pr, "comments");
  look.has_more_remarks |= flag_of(member(comments, "pageInfo"), "hasPreviousPage");
  for (const Json& each : member(comments, "nodes")) {
    if (flag_of(each, "isMinimized") || flag_of(each, "viewerDidAuthor")) continue;
    Remark& remark = look.remarks.emplace_back();
    remark.text = comment_of(each);
    remark.id = remark.text.id;
  }
}

void take_pull_request(const Json& pr, LookedAt& look) {
  look.pr.number = number_of(pr, "number");
  look.pr.url = text_at(pr, "url");
  look.pr.title = text_at(pr, "title");
  look.pr.body = text_at(pr, "body");
  look.pr.state = text_at(pr, "state");
  look.pr.base = text_at(pr, "baseRefName");
  look.pr.head_oid = text_at(pr, "headRefOid");
  look.base_oid = text_at(pr, "baseRefOid");
  look.pr.is_draft = flag_of(pr, "isDraft");
  look.pr.name = pull_request_name(look.pr.number);
  look.in_merge_queue = flag_of(pr, "isInMergeQueue");
  look.mergeable = text_at(pr, "mergeable");
  look.review_decision = text_at(pr, "reviewDecision");
  take_threads(pr, look);
  take_reviews(pr, look);
  take_comments(pr, look);
}

}  // namespace

Words look_call(const RepositoryName& repository, const std::string& head, const std::string& oid) {
  Words words = graphql(repository, kLook, oid);
  words.insert(words.end(), {"-f", "head=" + head});
  return words;
}

base::Result<LookedAt> look_of(const Json& data, std::string_view owner) {
  const Json& repository = member(data, "repository");
  if (!repository.is_object()) {
    return base::Error{base::ErrorCode::kSystem, "the forge answers without the repository"};
  }
  LookedAt look;
  take_rollup(member(repository, "object"), look);
  // Strangers' forks may have a branch of the same name. Of several the open one counts, else the
  // newest.
  const Json* chosen = nullptr;
  for (const Json& each : member(member(repository, "pullRequests"), "nodes")) {
    if (text_at(member(each, "headRepositoryOwner"), "login") != owner) continue;
    const bool is_open = text_at(each, "state") == "OPEN";
    look.pull_requests += is_open ? 1 : 0;
    if (chosen == nullptr || (is_open && text_at(*chosen, "state") != "OPEN")) chosen = &each;
  }
  if (chosen != nullptr) take_pull_request(*chosen, look);
  return look;
}

Words checks_call(const RepositoryName& repository, const std::string& oid,
                  const std::string& cursor) {
  Words words = graphql(repository, kChecks, oid);
  if (!cursor.empty()) words.insert(words.end(), {"-f", "cursor=" + cursor});
  return words;
}

base::Status add_checks(const Json& data, LookedAt& look) {
  const Json& commit = member(member(data, "repository"), "object");
  if (!commit.is_object()) {
    return base::Error{base::ErrorCode::kSystem, "the forge answers without the commit"};
  }
  take_rollup(commit, look);
  return base::Ok{};
}

Words log_call(const RepositoryName& repository, int64_t job) {
  return {"api", "-i", "--hostname", repository.host,
          "repos/" + repository.slug() + "/actions/jobs/" + std::to_string(job) + "/logs"};
}

}  // namespace orch::forge
