#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.h"

namespace orch::repo {

// How long git may take: the first look at a million files takes minutes.
inline constexpr std::chrono::minutes kGitPatience{10};
// The same if it only applies rules to paths. Their files are an agent's, and may be pipes.
inline constexpr std::chrono::seconds kRulesPatience{60};

// While it exists, every git of this process is killed at `until`. One at a time.
class GitDeadline {
 public:
  explicit GitDeadline(std::chrono::steady_clock::time_point until);
  ~GitDeadline();
  GitDeadline(const GitDeadline&) = delete;
  GitDeadline& operator=(const GitDeadline&) = delete;
};

// One call of git that obeys its user but not the repository, because an agent may have written the
// repository's configuration. It runs no hook, file system monitor, filter, merge driver or pager,
// fetches nothing, and asks nobody. GIT_ variables of the environment have no effect.
struct GitCall {
  std::vector<std::string> words;  // after "git"
  std::string folder;              // absolute: the working directory
  std::string input;
  std::chrono::seconds patience = kGitPatience;
};
struct GitAnswer {
  int code = 0;  // the exit code as a shell has it: 128 + n for signal n
  std::string out;
  std::string err;  // the first line, printable; never empty if the code is not 0
};

// Runs git and waits for it. Not for a process that watches children of its own, because git is
// one. Errors: kNotFound if git is not installed; kSystem if it took longer than its patience, or
// printed more than 256 MB.
base::Result<GitAnswer> run_git(const GitCall& call);

// The same with the network and the user's login: the helpers of the user's own configuration, and
// those of `helpers` after them ("!gh auth git-credential"). Only for a folder whose configuration
// orch wrote itself, and for URLs that no agent could choose: their server may be a repository on
// this machine, which runs its own hooks.
base::Result<GitAnswer> run_git_online(const GitCall& call,
                                       const std::vector<std::string>& helpers);

// The output of git. An exit code other than 0 is an error, too: "git worktree: fatal: ...".
base::Result<std::string> ask_git(const GitCall& call);

}  // namespace orch::repo
