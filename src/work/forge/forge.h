#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "forge/answer.h"
#include "forge/look.h"
#include "forge/repository_name.h"

namespace orch::forge {

// A forge, asked through its own program with the user's login: `gh` for GitHub, `glab` for GitLab.
// A call blocks, for at most a minute for each request. Its errors are one line with the remedy:
// kSystem if it may work later, else kUsage.
class Forge {
 public:
  virtual ~Forge() = default;

  // Without comments where they take a request of their own.
  virtual base::Result<Issue> issue(const std::string& number) = 0;
  virtual base::Status read_comments(Issue& issue) = 0;
  // Whether the author may write to the project. False if this login may not ask.
  virtual base::Result<bool> may_write(const Comment& text) = 0;

  // The pull request of a branch.
  virtual base::Result<LookedAt> find(const std::string& branch, const std::string& commit) = 0;
  // The same with its remarks, and the checks of the commit, at most 2,000.
  virtual base::Result<LookedAt> look(const std::string& branch, const std::string& commit) = 0;
  // The first 100 checks of the newest commit of the branch that the pull request is to land on.
  virtual base::Result<LookedAt> checks_of_base(const LookedAt& look) = 0;
  // The body is the log of a check that has a job.
  virtual base::Result<Answer> log(const Check& check) = 0;

  // A draft, where the forge has them.
  virtual base::Result<PullRequest> create(const NewPullRequest& wanted) = 0;
  virtual base::Status set_body(const PullRequest& pr, const std::string& body) = 0;
  // The command that opens it again.
  virtual std::string command_to_reopen(const PullRequest& pr) const = 0;
};

// `project` has the issue and gets the pull request; `source` has its branch.
std::unique_ptr<Forge> open_forge(const RepositoryName& project, const RepositoryName& source);

}  // namespace orch::forge
