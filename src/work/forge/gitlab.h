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

}  // namespace orch::forge
