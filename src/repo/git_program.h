#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orch::repo {

// One call of git that obeys its user but not the repository, whose configuration an agent may have
// written. No hook, file system monitor, filter or pager is run, nothing is fetched, nobody is
// asked, and GIT_ variables of the environment have no effect.
struct GitCall {
  std::vector<std::string> words;  // after "git"
  std::string folder;              // absolute: the working directory
  std::string input;
};
struct GitAnswer {
  int code = 0;  // the exit code as a shell has it: 128 + n for signal n
  std::string out;
  std::string err;  // the first line, printable; never empty if the code is not 0
};

// Runs git and waits for it. Not for a process that watches children of its own, for git is one.
// Errors: kNotFound if there is no git; git takes more than 30 minutes, or prints more than 256 MB.
base::Result<GitAnswer> run_git(const GitCall& call);

// The output of git. An exit code other than 0 is an error, too: "git worktree: fatal: ...".
base::Result<std::string> ask_git(const GitCall& call);

}  // namespace orch::repo
