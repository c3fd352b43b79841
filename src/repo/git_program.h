#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orch::repo {

// One call of git, which obeys its user but not the repository that it is called for: an agent may
// have written that repository's configuration. No hook is run and no file system monitor, no
// filter, no pager, nothing is fetched, nobody is asked, and of the environment no GIT_ variable
// counts.
struct GitCall {
  std::vector<std::string> words;  // after "git"
  std::string folder;              // absolute: where it is run
  std::string input;
};
struct GitAnswer {
  int code = 0;  // as a shell tells it: 128 + n for a signal
  std::string out;
  std::string err;  // its first line, printable; never empty where the code is not 0
};

// Waits for it. Not for a process with children of its own to watch: git is one. Errors: kNotFound
// where there is no git.
base::Result<GitAnswer> run_git(const GitCall& call);

// What it said. A code that is not 0 is an error, too: "git worktree: fatal: ...".
base::Result<std::string> ask_git(const GitCall& call);

}  // namespace orch::repo
