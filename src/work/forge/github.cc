#include "forge/github.h"

#include "base/json.h"
#include "forge/answer.h"
#include "forge/own_forges.h"

namespace orch::forge {
namespace {

using base::Json;
using base::member;
using base::text_at;

constexpr std::string_view kIssueQuery = R"(query($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) {
    issueOrPullRequest(number: $number) {
      __typename
      ... on Issue {
        number title body state url author { login } authorAssociation
        comments(last: 100) {
          totalCount
          nodes { id author { login } authorAssociation body url isMinimized }
        }
      }
    }
  }
})";

Words rest(const RepositoryName& repository, const std::string& method, const std::string& path) {
  return {"api",
          "-i",
          "--hostname",
          repository.host,
          "-X",
          method,
          "repos/" + repository.slug() + "/" + path};
}

}  // namespace

Words graphql_call(const RepositoryName& repository, std::string_view query) {
  return {"api",
          "-i",
          "--hostname",
          repository.host,
          "graphql",
          "-f",
          "query=" + std::string(query),
          "-f",
          "owner=" + repository.owner,
          "-f",
          "repo=" + repository.name};
}

std::string pull_request_name(int64_t number) { return "pull request #" + std::to_string(number); }

Comment comment_of(const Json& json) {
  Comment comment;
  comment.id = text_at(json, "id");
  comment.author = text_at(member(json, "author"), "login");
  if (comment.author.empty()) comment.author = kNobody;
  comment.role = text_at(json, "authorAssociation");
  comment.body = text_at(json, "body");
  comment.url = text_at(json, "url");
  return comment;
}

bool is_member(std::string_view role) {
  return role == "OWNER" || role == "MEMBER" || role == "COLLABORATOR";
}

Words issue_call(const RepositoryName& repository, const std::string& number) {
  Words words = graphql_call(repository, kIssueQuery);
  words.insert(words.end(), {"-F", "number=" + number});
  return words;
}

base::Result<Issue> issue_of(const Json& data, const RepositoryName& repository,
                             const std::string& number) {
  const Json& found = member(member(data, "repository"), "issueOrPullRequest");
  const std::string name = repository.slug() + "#" + number;
  if (text_at(found, "__typename") == "PullRequest") {
    return base::usage_error(name + " is a pull request, not an issue");
  }
  if (!found.is_object() || std::to_string(number_of(found, "number")) != number) {
    return base::usage_error(repository.host + " has no issue " + name +
                             ", or does not show it to this login");
  }
  Issue issue;
  issue.number = number;
  issue.title = text_at(found, "title");
  issue.url = text_at(found, "url");
  issue.state = text_at(found, "state");
  issue.text = comment_of(found);
  const Json& comments = member(found, "comments");
  issue.comments_in_all = number_of(comments, "totalCount");
  for (const Json& each : member(comments, "nodes")) {
    if (!flag_of(each, "isMinimized")) issue.comments.push_back(comment_of(each));
  }
  return issue;
}

Words permission_call(const RepositoryName& repository, const std::string& login) {
  return rest(repository, "GET", "collaborators/" + login + "/permission");
}

bool may_write(const Json& answer) {
  const std::string word = text_at(answer, "permission");
  return word == "admin" || word == "maintain" || word == "write";
}

Words create_call(const RepositoryName& repository, const NewPullRequest& wanted,
                  const std::string& head, bool is_draft) {
  Words words = rest(repository, "POST", "pulls");
  words.insert(words.end(), {"-f", "title=" + wanted.title, "-f", "body=" + wanted.body, "-f",
                             "head=" + head, "-f", "base=" + wanted.base, "-F",
                             std::string("draft=") + (is_draft ? "true" : "false")});
  return words;
}

Words update_call(const RepositoryName& repository, int64_t number, const std::string& title,
                  const std::string& body) {
  Words words = rest(repository, "PATCH", "pulls/" + std::to_string(number));
  words.insert(words.end(), {"-f", "title=" + title, "-f", "body=" + body});
  return words;
}

base::Result<PullRequest> pull_request_of(const Json& answer) {
  PullRequest pr;
  pr.number = number_of(answer, "number");
  pr.url = text_at(answer, "html_url");
  pr.title = text_at(answer, "title");
  pr.state = text_at(answer, "state");
  pr.is_draft = flag_of(answer, "draft");
  pr.name = pull_request_name(pr.number);
  if (pr.number <= 0 || pr.url.empty()) {
    return base::Error{base::ErrorCode::kSystem, "the forge's answer names no pull request"};
  }
  return pr;
}

}  // namespace orch::forge
