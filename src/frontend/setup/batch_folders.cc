#include "setup/batch_folders.h"

#include <sys/stat.h>

#include "base/own_program.h"
#include "base/text.h"
#include "repo/git_head.h"
#include "repo/git_places.h"
#include "repo/worktree.h"
#include "setup/git_fence.h"

namespace orch::setup {

bool would_share(const options::RunRequest& request, const adapters::Manifest& agent) {
  return request.issues.size() > 1 && !request.worktree && !request.shared_folder &&
         request.command.empty() && request.container.empty() && agent.writes_files;
}

RepositoryState repository_state(const std::string& repository) {
  if (repo::git_folder_of(repository).own.empty() || !base::own_program("git")) {
    return RepositoryState::kNone;
  }
  return repo::git_head(repository).empty() ? RepositoryState::kNoCommit : RepositoryState::kReady;
}

Folders folders_of(const options::RunRequest& request, const adapters::Manifest& agent,
                   RepositoryState state) {
  if (request.worktree) return Folders::kWorktrees;
  const bool chosen = would_share(request, agent) && state == RepositoryState::kReady;
  return chosen ? Folders::kWorktrees : Folders::kShared;
}

repo::WorktreeRequest worktree_request_of(const options::RunRequest& request,
                                          const session::SessionSetup& session) {
  using Earlier = repo::WorktreeRequest::Earlier;
  return {.repository = session.repository,
          .issue = session.issue,
          .folder = session.cwd,
          .earlier = request.parent.empty() && request.parents.empty() ? Earlier::kRefuse
                                                                       : Earlier::kReuse};
}

base::Status check_folders(const options::RunRequest& request) {
  if (!request.worktree || !request.shared_folder) return base::Ok{};
  return base::usage_error(
      "--worktree gives each issue a folder of its own, and --shared-folder gives them one: leave "
      "one of them out");
}

bool chosen_by_orch(const options::RunRequest& request, Folders folders) {
  return folders == Folders::kWorktrees && !request.worktree;
}

std::string worktrees_line(const std::string& repository, size_t issues, bool dirty) {
  const std::string place = base::printable(repository);
  return "each of the " + std::to_string(issues) + " issues works in a git worktree of its own, " +
         place + ".orch/<issue>, which begins from the last commit" +
         (dirty ? ", without what is not committed in " + place : "") +
         "; --shared-folder has all of them work in one folder";
}

std::string refused_line(std::string why) {
  constexpr std::string_view kOption = "--worktree: ";
  if (why.starts_with(kOption)) why.erase(0, kOption.size());
  return why + "; or --shared-folder: all issues work in one folder";
}

bool is_dirty(const std::string& repository) {
  const base::Result<std::string> seen = read_in_git_fence(repository, [&repository] {
    const base::Result<bool> dirty = repo::has_uncommitted(repository);
    return std::string(dirty && *dirty ? "dirty" : "");
  });
  return seen && !seen->empty();
}

std::string other_folder_line(const std::string& repository, const std::string& issue) {
  const repo::Worktree earlier =
      repo::planned_worktree({.repository = repository, .issue = issue, .folder = repository});
  const std::string git = repo::git_folder_of(repository).common;
  if (git.empty()) return "";
  struct stat info {};
  const auto is_there = [&info](const std::string& path) {
    return ::lstat(path.c_str(), &info) == 0;
  };
  const bool stands = is_there(earlier.path + "/.git");
  if (!stands && !is_there(git + "/refs/heads/" + earlier.branch)) return "";
  const std::string place = stands ? "a worktree from an earlier run, " + earlier.path
                                   : "a branch from an earlier run, " + earlier.branch;
  return base::printable("issue " + issue + " has " + place + "; this run works in " + repository +
                         ", and orch continue " + issue + " TEXT or orch retry " + issue +
                         " there");
}

std::string no_commit_line(const std::string& repository, size_t issues) {
  return "the " + std::to_string(issues) + " issues share one folder, for " +
         base::printable(repository) + " has no commit that worktrees could begin from";
}

}  // namespace orch::setup
