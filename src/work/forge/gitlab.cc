#include "forge/gitlab.h"

#include <algorithm>
#include <cctype>

#include "base/json.h"
#include "forge/answer.h"
#include "forge/own_forges.h"

namespace orch::forge {
namespace {

using base::Json;
using base::member;
using base::text_at;

constexpr int64_t kDeveloper = 30;  // the least access level that may push

// The text as a part of a path or a query.
std::string escaped(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string result;
  for (const char byte : text) {
    if (std::isalnum(static_cast<unsigned char>(byte)) != 0 || byte == '-' || byte == '_' ||
        byte == '.') {
      result += byte;
    } else {
      const auto value = static_cast<unsigned char>(byte);
      result += {'%', kDigits[value >> 4], kDigits[value & 0xf]};
    }
  }
  return result;
}

Words api(const RepositoryName& repository, const std::string& path) {
  return {"api", "-i", "--hostname", repository.host,
          "projects/" + escaped(repository.slug()) + (path.empty() ? "" : "/" + path)};
}

Words change(const char* method, const RepositoryName& repository, const std::string& path,
             const std::vector<std::string>& fields) {
  Words words = api(repository, path);
  words.insert(words.end(), {"-X", method});
  for (const std::string& field : fields) words.insert(words.end(), {"-f", field});
  return words;
}

std::string requests(int64_t number) { return "merge_requests/" + std::to_string(number); }

Comment comment_of_note(const Json& json, const char* words) {
  Comment comment;
  const Json& author = member(json, "author");
  comment.author = text_at(author, "username");
  if (comment.author.empty()) comment.author = kNobody;
  comment.author_id = number_of(author, "id");
  comment.body = text_at(json, words);
  return comment;
}

bool is_hidden(const Json& note) {
  return flag_of(note, "system") || flag_of(note, "internal") || flag_of(note, "confidential");
}

// GitLab's words for a job and for another system's status; one that is not listed is never green.
CheckState state_of(std::string_view word, bool may_fail) {
  for (const char* each : {"success", "skipped"}) {
    if (word == each) return CheckState::kGreen;
  }
  for (const char* each : {"created", "waiting_for_resource", "preparing", "pending", "running",
                           "scheduled", "canceling"}) {
    if (word == each) return CheckState::kPending;
  }
  const bool is_optional = may_fail && (word == "failed" || word == "manual");
  if (is_optional) return CheckState::kGreen;
  return word == "failed" ? CheckState::kRed : CheckState::kUnclear;
}

Check check_of_status(const Json& json) {
  Check check;
  check.name = text_at(json, "name");
  check.word = text_at(json, "status");
  check.state = state_of(check.word, flag_of(json, "allow_failure"));
  check.url = text_at(json, "target_url");
  const int64_t id = number_of(json, "id");
  if (check.url.ends_with("/-/jobs/" + std::to_string(id))) check.job = id;
  return check;
}

}  // namespace

Words gitlab_issue_call(const RepositoryName& repository, const std::string& number) {
  return api(repository, "issues/" + number);
}

base::Result<Issue> gitlab_issue_of(const Json& answer, const RepositoryName& repository,
                                    const std::string& number) {
  if (std::to_string(number_of(answer, "iid")) != number) {
    return base::usage_error(repository.host + " has no issue " + repository.slug() + "#" + number +
                             ", or does not show it to this login");
  }
  Issue issue;
  issue.number = number;
  issue.title = text_at(answer, "title");
  issue.url = text_at(answer, "web_url");
  issue.state = text_at(answer, "state") == "opened" ? "OPEN" : "CLOSED";
  issue.text = comment_of_note(answer, "description");
  return issue;
}

Words gitlab_notes_call(const RepositoryName& repository, const std::string& number) {
  return api(repository, "issues/" + number + "/notes?per_page=100&order_by=created_at&sort=desc");
}

void add_gitlab_notes(const Json& answer, Issue& issue) {
  for (const Json& note : answer) {
    if (!is_hidden(note)) issue.comments.push_back(comment_of_note(note, "body"));
  }
  std::reverse(issue.comments.begin(), issue.comments.end());
  issue.comments_in_all = static_cast<int64_t>(issue.comments.size());
}

Words gitlab_member_call(const RepositoryName& repository, int64_t user) {
  return api(repository, "members/all/" + std::to_string(user));
}

bool gitlab_may_write(const Json& answer) {
  return number_of(answer, "access_level") >= kDeveloper;
}

base::Result<PullRequest> gitlab_request_of(const Json& answer) {
  PullRequest pr;
  pr.number = number_of(answer, "iid");
  pr.url = text_at(answer, "web_url");
  if (pr.number <= 0 || pr.url.empty()) {
    return base::Error{base::ErrorCode::kSystem, "the forge's answer names no merge request"};
  }
  const std::string state = text_at(answer, "state");  // opened, closed, locked, merged
  pr.state = state == "merged" ? "MERGED" : state == "closed" ? "CLOSED" : "OPEN";
  pr.name = "merge request !" + std::to_string(pr.number);
  pr.title = text_at(answer, "title");
  pr.body = text_at(answer, "description");
  pr.base = text_at(answer, "target_branch");
  pr.head_oid = text_at(answer, "sha");
  pr.is_draft = flag_of(answer, "draft");
  return pr;
}

Words gitlab_requests_call(const RepositoryName& repository, const std::string& branch) {
  return api(repository, "merge_requests?source_branch=" + escaped(branch) +
                             "&state=all&order_by=created_at&sort=desc&per_page=20");
}

void add_gitlab_requests(const Json& answer, int64_t source, LookedAt& look) {
  const Json* chosen = nullptr;
  for (const Json& each : answer) {
    const int64_t from = source != 0 ? source : number_of(each, "target_project_id");
    const base::Result<PullRequest> pr = gitlab_request_of(each);
    if (!pr || number_of(each, "source_project_id") != from) continue;
    const bool is_open = pr->state == "OPEN";
    look.pull_requests += is_open ? 1 : 0;
    if (chosen != nullptr && (!is_open || look.pr.state == "OPEN")) continue;
    chosen = &each;
    look.pr = *pr;
  }
  if (chosen == nullptr) return;
  const std::string status = text_at(*chosen, "detailed_merge_status");
  if (flag_of(*chosen, "has_conflicts") || status == "conflict") look.mergeable = "CONFLICTING";
  if (status == "requested_changes") look.review_decision = "CHANGES_REQUESTED";
}

Words gitlab_checks_call(const RepositoryName& repository, const std::string& commit,
                         const std::string& page) {
  return api(repository, "repository/commits/" + commit +
                             "/statuses?per_page=100&page=" + (page.empty() ? "1" : page));
}

void add_gitlab_checks(const Json& answer, const std::string& next_page, LookedAt& look) {
  look.knows_commit = true;
  for (const Json& each : answer) look.checks.push_back(check_of_status(each));
  look.next_checks = next_page;
  look.checks_in_all = static_cast<int64_t>(look.checks.size());
  // GitLab has no word for all statuses of a commit. Its jobs all exist once a pipeline has begun.
  const bool are_green = std::all_of(look.checks.begin(), look.checks.end(), [](const Check& one) {
    return one.state == CheckState::kGreen;
  });
  look.rollup = look.checks.empty() ? "" : are_green ? "SUCCESS" : "PENDING";
}

Words gitlab_discussions_call(const RepositoryName& repository, int64_t request) {
  return api(repository, requests(request) + "/discussions?per_page=100");
}

void add_gitlab_discussions(const Json& answer, LookedAt& look) {
  for (const Json& discussion : answer) {
    for (const Json& note : member(discussion, "notes")) {
      if (is_hidden(note) || flag_of(note, "resolved")) continue;
      Remark& remark = look.remarks.emplace_back();
      remark.text = comment_of_note(note, "body");
      remark.id = "note " + std::to_string(number_of(note, "id"));
      remark.text.url = look.pr.url + "#note_" + std::to_string(number_of(note, "id"));
      const Json& position = member(note, "position");
      if (!position.is_object()) continue;
      const int64_t line =
          std::max(number_of(position, "new_line"), number_of(position, "old_line"));
      remark.place = text_at(position, "new_path") + ":" + std::to_string(line);
      remark.is_new_here = text_at(position, "head_sha") == look.pr.head_oid;
    }
  }
}

Words gitlab_approvals_call(const RepositoryName& repository, int64_t request) {
  return api(repository, requests(request) + "/approvals");
}

Words gitlab_project_call(const RepositoryName& repository) { return api(repository, ""); }

Words gitlab_branch_call(const RepositoryName& repository, const std::string& branch) {
  return api(repository, "repository/branches/" + escaped(branch));
}

Words gitlab_log_call(const RepositoryName& repository, int64_t job) {
  return api(repository, "jobs/" + std::to_string(job) + "/trace");
}

Words gitlab_create_call(const RepositoryName& source, const NewPullRequest& wanted,
                         int64_t target) {
  std::vector<std::string> fields{"source_branch=" + wanted.head, "target_branch=" + wanted.base,
                                  "title=Draft: " + wanted.title, "description=" + wanted.body};
  if (target != 0) fields.push_back("target_project_id=" + std::to_string(target));
  return change("POST", source, "merge_requests", fields);
}

Words gitlab_set_body_call(const RepositoryName& repository, int64_t request,
                           const std::string& body) {
  return change("PUT", repository, requests(request), {"description=" + body});
}

}  // namespace orch::forge
