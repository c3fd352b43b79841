#pragma once

#include <string>

#include "forge/github.h"

// What orch asks GitLab for an issue: the words of `glab` for each request, and the readers of its
// answers, written after its documentation. Pure.
namespace orch::forge {

Words gitlab_issue_call(const RepositoryName& repository, const std::string& number);
// kUsage if it is no issue.
base::Result<Issue> gitlab_issue_of(const base::Json& answer, const RepositoryName& repository,
                                    const std::string& number);

// The newest 100 notes of an issue: those of people become its comments, the oldest first.
Words gitlab_notes_call(const RepositoryName& repository, const std::string& number);
void add_gitlab_notes(const base::Json& answer, Issue& issue);

// A member of the project; the server answers with 404 about anybody else.
Words gitlab_member_call(const RepositoryName& repository, int64_t user);
bool gitlab_may_write(const base::Json& answer);

// A merge request is a PullRequest with the words of GitHub: OPEN, CLOSED, MERGED.
base::Result<PullRequest> gitlab_request_of(const base::Json& answer);
// The 20 newest of a branch.
Words gitlab_requests_call(const RepositoryName& repository, const std::string& branch);
// Chooses the one from the project with the id `source`, or with 0 from the repository itself.
void add_gitlab_requests(const base::Json& answer, int64_t source, LookedAt& look);

// The jobs of a commit's pipelines, and the statuses by other systems.
Words gitlab_checks_call(const RepositoryName& repository, const std::string& commit,
                         const std::string& page);
void add_gitlab_checks(const base::Json& answer, const std::string& next_page, LookedAt& look);

Words gitlab_discussions_call(const RepositoryName& repository, int64_t request);
void add_gitlab_discussions(const base::Json& answer, LookedAt& look);

Words gitlab_approvals_call(const RepositoryName& repository, int64_t request);
Words gitlab_project_call(const RepositoryName& repository);
Words gitlab_branch_call(const RepositoryName& repository, const std::string& branch);
Words gitlab_log_call(const RepositoryName& repository, int64_t job);
// `target`: the id of the project that gets the request, if it is not the repository itself; 0.
Words gitlab_create_call(const RepositoryName& source, const NewPullRequest& wanted,
                         int64_t target);
Words gitlab_set_body_call(const RepositoryName& repository, int64_t request,
                           const std::string& body);

}  // namespace orch::forge
