#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "forge/repository_name.h"

// What orch asks GitHub: the words of `gh` for each request, and the reader of its answer. Pure.
namespace orch::forge {

using Words = std::vector<std::string>;

struct Comment {
  std::string id, author, body, url;
  int64_t author_id = 0;  // of GitLab
  std::string
      role;  // GitHub's authorAssociation: OWNER, MEMBER, COLLABORATOR, CONTRIBUTOR, NONE, ...
};

// From a node with the fields id, author { login }, authorAssociation, body and url.
Comment comment_of(const base::Json& json);

struct Issue {
  std::string number, title, url, state;
  Comment text;  // its author and body
  std::vector<Comment> comments;
  int64_t comments_in_all = 0;
};

// Whether the role is one of those that may write to a repository. The others may all the same, if
// their membership is private: ask permission_call().
bool is_member(std::string_view role);

// A query of GraphQL with the variables $owner and $repo.
Words graphql_call(const RepositoryName& repository, std::string_view query);
Words issue_call(const RepositoryName& repository, const std::string& number);
// From the `data` of the answer. kUsage if the number is a pull request's, or no issue's.
base::Result<Issue> issue_of(const base::Json& data, const RepositoryName& repository,
                             const std::string& number);

// What a user may do in the repository; the answer's word is admin, write, read or none.
Words permission_call(const RepositoryName& repository, const std::string& login);
bool may_write(const base::Json& answer);

struct PullRequest {
  int64_t number = 0;
  std::string url, title, body, state;  // OPEN, CLOSED, MERGED
  std::string base, head_oid;
};

struct NewPullRequest {
  std::string title, body, base;
  std::string head;  // the branch; of a fork "owner:branch"
  bool draft = true;
};
Words create_call(const RepositoryName& repository, const NewPullRequest& wanted);
Words update_call(const RepositoryName& repository, int64_t number, const std::string& title,
                  const std::string& body);
// From the answer to either.
base::Result<PullRequest> pull_request_of(const base::Json& answer);

// The longest body that GitHub takes, in characters (65,536), with room for a last line.
inline constexpr size_t kMostBody = 60'000;

}  // namespace orch::forge
