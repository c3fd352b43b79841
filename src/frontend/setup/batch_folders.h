#pragma once

#include <cstdint>
#include <string>

#include "adapters/manifest.h"
#include "base/result.h"
#include "options/run_request.h"
#include "repo/worktree.h"
#include "session/session_setup.h"

// Where the agents of one `orch run` work: in one folder, or each in a git worktree of its own.
namespace orch::setup {

enum class Folders : uint8_t {
  kShared,     // the folder of --cwd, which several issues share
  kWorktrees,  // a worktree for each issue
};

// The state of the repository around the agents' folder.
enum class RepositoryState : uint8_t {
  kNone,      // without a git repository, or without git
  kNoCommit,  // the repository has no commit that a worktree could begin from
  kReady,
};
RepositoryState repository_state(const std::string& repository);

// Whether several agents would write into one folder, and might overwrite each other's work. False
// for a program after --, which is not an agent and whose user named the folder; for an agent that
// changes no file (the demo); and in a container that exists already, because its folders are
// fixed.
bool would_share(const options::RunRequest& request, const adapters::Manifest& agent);

// Agents that would share a folder get worktrees if that is possible, unless the request says
// otherwise.
Folders folders_of(const options::RunRequest& request, const adapters::Manifest& agent,
                   RepositoryState state);

// The worktree that a session is to have, if the request asks for one.
repo::WorktreeRequest worktree_request_of(const options::RunRequest& request,
                                          const session::SessionSetup& session);

// kUsage if the request asks for both kinds.
base::Status check_folders(const options::RunRequest& request);

// Whether the folders of a request were chosen by orch, and not by its user.
bool chosen_by_orch(const options::RunRequest& request, Folders folders);

// The line about worktrees that nobody asked for, with the way to avoid them; `dirty`: the work
// folder has changes that are not committed.
std::string worktrees_line(const std::string& repository, size_t issues, bool dirty);

// Why worktrees that nobody asked for cannot be made, with the remedy; `why` is the error that
// --worktree would report.
std::string refused_line(std::string why);

// Whether the work folder has changes that worktrees lack. False if git fails.
bool is_dirty(const std::string& repository);

// The line that says that an issue has a worktree, or a branch, from an earlier run, in which this
// run will not work; "" if it has neither.
std::string other_folder_line(const std::string& repository, const std::string& issue);

// The line that says that several issues share a folder because it has no commit.
std::string no_commit_line(const std::string& repository, size_t issues);

}  // namespace orch::setup
