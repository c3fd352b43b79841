// Where the text of an issue comes from: its file in the repository, or a forge.
#include "cli/issue_source.h"

#include <cstdio>
#include <optional>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "forge/forge.h"
#include "forge/issue_text.h"
#include "repo/remotes.h"
#include "setup/batch_folders.h"
#include "setup/paths.h"
#include "setup/repository.h"

namespace orch::cli {
namespace {

using base::Result;
using base::Status;
using forge::RepositoryName;

// The repository of the issue: the one that its word names, at the host of the project's remote if
// the word names none. nullopt if no remote is on a forge.
std::optional<RepositoryName> repository_for(const forge::IssueWord& word,
                                             const repo::Remotes& remotes) {
  const repo::Remote* remote = remotes.project();
  std::optional<RepositoryName> here;
  if (remote != nullptr) here = forge::repository_of_url(remote->url);
  if (!word.repository) return here;
  RepositoryName named = *word.repository;
  if (named.host.empty()) named.host = here ? here->host : "github.com";
  return named;
}

Result<std::vector<forge::Comment>> chosen_comments(forge::Forge& server, const forge::Issue& issue,
                                                    const std::string& whose) {
  if (whose == "none") return std::vector<forge::Comment>();
  if (whose == "all") return issue.comments;
  std::vector<forge::Comment> chosen;
  for (const forge::Comment& comment : issue.comments) {
    const Result<bool> is_members = server.may_write(comment);
    if (!is_members) return is_members.error();
    if (*is_members) chosen.push_back(comment);
  }
  return chosen;
}

// "issue 42 of o/r: "Title" (3 comments of members)"
std::string source_line(const RepositoryName& repository, const forge::Issue& issue,
                        size_t comments, const std::string& whose, const forge::Removed& removed) {
  std::string line = "issue " + issue.number + " of " + repository.slug() + ": \"" +
                     base::printable(base::trim(issue.title)) + "\" (" + std::to_string(comments) +
                     (comments == 1 ? " comment" : " comments");
  if (whose == "members") line += " of members";
  const int64_t left_out = issue.comments_in_all - static_cast<int64_t>(comments);
  if (left_out > 0 && whose != "all") line += ", " + std::to_string(left_out) + " left out";
  if (issue.comments_in_all > static_cast<int64_t>(issue.comments.size()) && whose == "all") {
    line += ", the newest";
  }
  line += ")";
  if (issue.state != "OPEN") line += ", which is closed";
  if (removed.all() > 0) line += "; hidden, and removed: " + std::to_string(removed.all());
  return line;
}

Status take_issue(const RepositoryName& repository, const std::string& number,
                  options::RunRequest& request) {
  const std::unique_ptr<forge::Forge> server = forge::open_forge(repository, repository);
  Result<forge::Issue> issue = server->issue(number);
  if (!issue) return issue.error();
  if (Status s = server->read_comments(*issue); !s) return s;
  const Result<std::vector<forge::Comment>> comments =
      chosen_comments(*server, *issue, request.comments);
  if (!comments) return comments.error();
  forge::Removed removed;
  request.issue_texts[number] = forge::prompt_of(*issue, repository, *comments, removed);
  request.issue_repository = repository_text(repository);
  std::fprintf(
      stderr, "orch: %s\n",
      source_line(repository, *issue, comments->size(), request.comments, removed).c_str());
  return base::Ok{};
}

// For an address that is none of an issue.
base::Error no_issue(const std::string& address) {
  const bool is_pull = address.find("/pull/") != std::string::npos ||
                       address.find("/merge_requests/") != std::string::npos;
  return base::usage_error(
      base::printable(address) +
      (is_pull ? " is a pull request: orch run takes an issue, and orch feedback ISSUE looks at "
                 "the pull request of its landing"
               : " is no issue's address, like https://github.com/o/r/issues/42"));
}

// Whether the repository has the issue's text in a file; an error is the run's to report.
bool has_file(const std::string& repository, const std::string& issue) {
  const Result<std::string> text = setup::read_brought(repository, setup::issue_file(issue));
  return text || text.error().code != base::ErrorCode::kNotFound;
}

}  // namespace

int report_forge(const base::Error& error) {
  const int code = report(error);
  const bool may_pass =
      error.code == base::ErrorCode::kSystem || error.code == base::ErrorCode::kShortage;
  return may_pass ? kLater : code;
}

std::string repository_text(const RepositoryName& repository) {
  return repository.host + "/" + repository.slug();
}

std::optional<RepositoryName> repository_of_text(const std::string& text) {
  return forge::repository_of_url("https://" + text);
}

Status take_issues(const std::set<std::string>& given, options::RunRequest& request) {
  std::vector<std::optional<forge::IssueWord>> words;
  for (std::string& issue : request.issues) {
    words.push_back(forge::issue_of_word(issue));
    if (words.back()) issue = words.back()->number;
    if (!words.back() && issue.find("://") != std::string::npos) return no_issue(issue);
  }
  const bool has_text = request.prompt || !request.prompt_file.empty() || !request.command.empty();
  const Result<std::string> folder = setup::resolve_folder(request.cwd);
  if (has_text || !folder) return base::Ok{};  // a wrong folder is the run's to report
  const std::string repository = setup::repository_of(*folder);
  std::optional<repo::Remotes> remotes;
  for (const std::optional<forge::IssueWord>& word : words) {
    if (!word || (!word->repository && has_file(repository, word->number))) continue;
    if (!remotes) {
      Result<repo::Remotes> found = repo::remotes_of(repository);
      remotes = found ? std::move(found).value() : repo::Remotes();
    }
    const std::optional<RepositoryName> named = repository_for(*word, *remotes);
    if (!named) continue;
    if (Status s = take_issue(*named, word->number, request); !s) return s;
  }
  const bool is_placed = given.contains("--shared-folder") || given.contains("--container");
  if (!request.issue_texts.empty() && !is_placed && !request.shared_folder &&
      setup::repository_state(repository) == setup::RepositoryState::kReady) {
    request.worktree = true;
  }
  return base::Ok{};
}

store::RunBase run_base_of(const std::string& repository, const std::string& issue_repository) {
  store::RunBase base;
  base.issue_repository = issue_repository;
  const Result<repo::Remotes> remotes = repo::remotes_of(repository);
  if (!remotes) return base;
  base.branch = remotes->branch;
  if (const repo::Remote* project = remotes->project()) {
    base.remote = project->name;
    base.url = project->url;
  }
  if (const repo::Remote* pushed = remotes->pushed()) {
    base.push = pushed->name;
    base.push_url = pushed->url;
  }
  return base;
}

}  // namespace orch::cli
