#include <algorithm>
#include <utility>

#include "forge/forge.h"
#include "forge/forge_call.h"
#include "forge/gitlab.h"
#include "forge/own_forges.h"

namespace orch::forge {
namespace {

using base::Json;
using base::Result;
using base::Status;

class Gitlab final : public Forge {
 public:
  Gitlab(RepositoryName project, RepositoryName source)
      : project_(std::move(project)), source_(std::move(source)) {}

  Result<Issue> issue(const std::string& number) override {
    const Result<Json> json = ask(gitlab_issue_call(project_, number));
    if (!json) return json.error();
    return gitlab_issue_of(*json, project_, number);
  }
  Status read_comments(Issue& issue) override {
    const Result<Json> notes = ask(gitlab_notes_call(project_, issue.number));
    if (!notes) return notes.error();
    add_gitlab_notes(*notes, issue);
    return base::Ok{};
  }
  Result<bool> may_write(const Comment& text) override {
    if (text.author == kNobody) return false;
    const Result<Answer> answer = call_gitlab(gitlab_member_call(project_, text.author_id));
    if (!answer) return answer.error();
    return is_let_write(*answer, project_.host, gitlab_may_write);
  }

  Result<LookedAt> find(const std::string& branch, const std::string& commit) override;
  Result<LookedAt> look(const std::string& branch, const std::string& commit) override;
  Result<LookedAt> checks_of_base(const LookedAt& look) override;
  Result<Answer> log(const Check& check) override {
    return call_gitlab(gitlab_log_call(source_, check.job));
  }

  Result<PullRequest> create(const NewPullRequest& wanted) override;
  Status set_body(const PullRequest& pr, const std::string& body) override {
    const Result<Json> json = ask(gitlab_set_body_call(project_, pr.number, body));
    return json ? Status(base::Ok{}) : json.error();
  }
  std::string command_to_reopen(const PullRequest& pr) const override {
    return "glab mr reopen " + std::to_string(pr.number);
  }

 private:
  bool is_fork() const { return source_ != project_; }
  Result<Json> ask(const Words& words) const {
    const Result<Answer> answer = call_gitlab(words);
    if (!answer) return answer.error();
    return json_of(*answer, project_.host);
  }
  Result<int64_t> id_of(const RepositoryName& repository) const;
  Status read_checks(LookedAt& look, const RepositoryName& repository,
                     const std::string& commit) const;
  Status read_remarks(LookedAt& look) const;
  Status read_approval(LookedAt& look) const;

  RepositoryName project_, source_;
  int64_t source_id_ = 0;  // of a fork, once it was asked for
};

Result<int64_t> Gitlab::id_of(const RepositoryName& repository) const {
  const Result<Json> json = ask(gitlab_project_call(repository));
  if (!json) return json.error();
  return number_of(*json, "id");
}

Result<LookedAt> Gitlab::find(const std::string& branch, const std::string&) {
  if (is_fork() && source_id_ == 0) {
    const Result<int64_t> id = id_of(source_);
    if (!id) return id.error();
    source_id_ = *id;
  }
  const Result<Json> requests = ask(gitlab_requests_call(project_, branch));
  if (!requests) return requests.error();
  LookedAt look;
  add_gitlab_requests(*requests, source_id_, look);
  return look;
}

// Adds the page at the cursor.
Status Gitlab::read_checks(LookedAt& look, const RepositoryName& repository,
                           const std::string& commit) const {
  const Result<Answer> answer =
      call_gitlab(gitlab_checks_call(repository, commit, look.next_checks));
  if (!answer) return answer.error();
  if (answer->status == kNotFound) return base::Ok{};  // it has not got the commit yet
  const Result<Json> json = json_of(*answer, repository.host);
  if (!json) return json.error();
  const auto next = answer->headers.find("x-next-page");
  add_gitlab_checks(*json, next == answer->headers.end() ? "" : next->second, look);
  return base::Ok{};
}

Status Gitlab::read_remarks(LookedAt& look) const {
  const Result<Answer> answer = call_gitlab(gitlab_discussions_call(project_, look.pr.number));
  if (!answer) return answer.error();
  const Result<Json> json = json_of(*answer, project_.host);
  if (!json) return json.error();
  add_gitlab_discussions(*json, look);
  const auto next = answer->headers.find("x-next-page");
  look.has_more_remarks = next != answer->headers.end() && !next->second.empty();
  return base::Ok{};
}

Status Gitlab::read_approval(LookedAt& look) const {
  const Result<Json> json = ask(gitlab_approvals_call(project_, look.pr.number));
  if (!json) return json.error();
  if (flag_of(*json, "approved")) look.review_decision = "APPROVED";
  return base::Ok{};
}

Result<LookedAt> Gitlab::look(const std::string& branch, const std::string& commit) {
  Result<LookedAt> look = find(branch, commit);
  if (!look || look->pr.number == 0) return look;
  size_t page = 0;
  do {
    if (Status s = read_checks(*look, source_, commit); !s) return s.error();
  } while (++page < kMostPages && !look->next_checks.empty());
  if (Status s = read_remarks(*look); !s) return s.error();
  // Three requests while it is pending; approvals count once all has passed.
  if (look->rollup == "SUCCESS" && look->review_decision.empty()) {
    if (Status s = read_approval(*look); !s) return s.error();
  }
  return look;
}

Result<LookedAt> Gitlab::checks_of_base(const LookedAt& look) {
  LookedAt there;
  const Result<Answer> answer = call_gitlab(gitlab_branch_call(project_, look.pr.base));
  if (!answer) return answer.error();
  if (answer->status == kNotFound) return there;
  const Result<Json> branch = json_of(*answer, project_.host);
  if (!branch) return branch.error();
  const std::string commit = base::text_at(base::member(*branch, "commit"), "id");
  if (commit.empty()) return there;
  if (Status s = read_checks(there, project_, commit); !s) return s.error();
  return there;
}

Result<PullRequest> Gitlab::create(const NewPullRequest& wanted) {
  int64_t target = 0;
  if (is_fork()) {
    const Result<int64_t> id = id_of(project_);
    if (!id) return id.error();
    target = *id;
  }
  const Result<Json> json = ask(gitlab_create_call(source_, wanted, target));
  if (!json) return json.error();
  return gitlab_request_of(*json);
}

}  // namespace

std::unique_ptr<Forge> open_gitlab(RepositoryName project, RepositoryName source) {
  return std::make_unique<Gitlab>(std::move(project), std::move(source));
}

}  // namespace orch::forge
