#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "forge/look.h"
#include "forge/repository_name.h"

// What orch asks GitHub: the words of `gh` for each request, and the reader of its answer. Pure.
namespace orch::forge {

using Words = std::vector<std::string>;

std::string pull_request_name(int64_t number);  // "pull request #7"

// From a node with the fields id, author { login }, authorAssociation, body and url.
Comment comment_of(const base::Json& json);

// A query of GraphQL with the variables $owner and $repo.
Words graphql_call(const RepositoryName& repository, std::string_view query);
Words issue_call(const RepositoryName& repository, const std::string& number);
// From the `data` of the answer. kUsage if the number is a pull request's, or no issue's.
base::Result<Issue> issue_of(const base::Json& data, const RepositoryName& repository,
                             const std::string& number);

// What a user may do in the repository; the answer's word is admin, write, read or none.
Words permission_call(const RepositoryName& repository, const std::string& login);
bool may_write(const base::Json& answer);

// `head`: the branch; of a fork "owner:branch".
Words create_call(const RepositoryName& repository, const NewPullRequest& wanted,
                  const std::string& head, bool is_draft);
Words update_call(const RepositoryName& repository, int64_t number, const std::string& title,
                  const std::string& body);
// From the answer to either.
base::Result<PullRequest> pull_request_of(const base::Json& answer);

}  // namespace orch::forge
