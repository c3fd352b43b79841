#include "forge/gitlab.h"

#include <algorithm>

#include "base/json.h"
#include "forge/answer.h"

namespace orch::forge {
namespace {

using base::Json;
using base::member;
using base::text_at;

constexpr int64_t kDeveloper = 30;  // the least access level that may push

Words api(const RepositoryName& repository, const std::string& path) {
  std::string project;
  for (const char byte : repository.slug()) {
    if (byte == '/') {
      project += "%2F";
    } else {
      project += byte;
    }
  }
  return {"api", "-i", "--hostname", repository.host, "projects/" + project + "/" + path};
}

Comment comment_of_note(const Json& json, const char* words) {
  Comment comment;
  const Json& author = member(json, "author");
  comment.author = text_at(author, "username");
  if (comment.author.empty()) comment.author = "ghost";
  comment.author_id = number_of(author, "id");
  comment.body = text_at(json, words);
  return comment;
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
    const bool is_hidden =
        flag_of(note, "system") || flag_of(note, "internal") || flag_of(note, "confidential");
    if (!is_hidden) issue.comments.push_back(comment_of_note(note, "body"));
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

}  // namespace orch::forge
