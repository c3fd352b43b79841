#include <time.h>

#include <utility>

#include "forge/forge.h"
#include "forge/forge_call.h"
#include "forge/github_look.h"
#include "forge/own_forges.h"

namespace orch::forge {
namespace {

using base::Result;
using base::Status;

class Github final : public Forge {
 public:
  Github(RepositoryName project, RepositoryName source)
      : project_(std::move(project)), source_(std::move(source)) {}

  Result<Issue> issue(const std::string& number) override {
    const Result<base::Json> data = ask(issue_call(project_, number));
    if (!data) return data.error();
    return issue_of(*data, project_, number);
  }
  Status read_comments(Issue&) override { return base::Ok{}; }
  Result<bool> may_write(const Comment& text) override;

  Result<LookedAt> find(const std::string& branch, const std::string& commit) override {
    const Result<base::Json> data = ask(look_call(project_, branch, commit));
    if (!data) return data.error();
    return look_of(*data, source_.owner);
  }
  Result<LookedAt> look(const std::string& branch, const std::string& commit) override;
  Result<LookedAt> checks_of_base(const LookedAt& look) override {
    LookedAt there;
    if (look.base_oid.empty()) return there;
    if (Status s = read_checks(there, look.base_oid); !s) return s.error();
    return there;
  }
  Result<Answer> log(const Check& check) override {
    return call_forge(log_call(project_, check.job));
  }

  Result<PullRequest> create(const NewPullRequest& wanted) override;
  Status set_body(const PullRequest& pr, const std::string& body) override {
    const Result<base::Json> json = tell(update_call(project_, pr.number, pr.title, body));
    return json ? Status(base::Ok{}) : json.error();
  }
  std::string command_to_reopen(const PullRequest& pr) const override {
    return "gh pr reopen " + pr.url;
  }

 private:
  Result<base::Json> ask(const Words& words) const {
    const Result<Answer> answer = call_forge(words);
    if (!answer) return answer.error();
    return data_of(*answer, project_.host);
  }
  Result<base::Json> tell(const Words& words) const {
    const Result<Answer> answer = call_forge(words);
    if (!answer) return answer.error();
    return json_of(*answer, project_.host);
  }
  // Adds the page at the cursor.
  Status read_checks(LookedAt& look, const std::string& commit) const {
    const Result<base::Json> data = ask(checks_call(project_, commit, look.next_checks));
    if (!data) return data.error();
    return add_checks(*data, look);
  }

  RepositoryName project_, source_;
};

Result<bool> Github::may_write(const Comment& text) {
  if (is_member(text.role)) return true;
  if (text.author == kNobody) return false;
  const Result<Answer> answer = call_forge(permission_call(project_, text.author));
  if (!answer) return answer.error();
  return is_let_write(*answer, project_.host, forge::may_write);
}

Result<LookedAt> Github::look(const std::string& branch, const std::string& commit) {
  Result<LookedAt> look = find(branch, commit);
  for (size_t page = 1; look && page < kMostPages && !look->next_checks.empty(); ++page) {
    if (Status s = read_checks(*look, commit); !s) return s.error();
  }
  return look;
}

Result<PullRequest> Github::create(const NewPullRequest& wanted) {
  const bool from_fork = source_.owner != project_.owner;
  const std::string head = (from_fork ? source_.owner + ":" : "") + wanted.head;
  bool is_draft = true;
  // It may not know the branch for some moments after the push.
  constexpr int kMostTries = 3;
  for (int tried = 1;;) {
    const Result<base::Json> json = tell(create_call(project_, wanted, head, is_draft));
    if (json) return pull_request_of(*json);
    const std::string& why = json.error().text;
    if (is_draft && why.find("Draft pull requests") != std::string::npos) {
      is_draft = false;
    } else if (why.find("Head sha can't be blank") != std::string::npos && tried < kMostTries) {
      constexpr timespec kPause{1, 0};
      ::nanosleep(&kPause, nullptr);
      ++tried;
    } else {
      return json.error();
    }
  }
}

}  // namespace

std::unique_ptr<Forge> open_github(RepositoryName project, RepositoryName source) {
  return std::make_unique<Github>(std::move(project), std::move(source));
}

}  // namespace orch::forge
