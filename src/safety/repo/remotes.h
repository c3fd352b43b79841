#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orch::repo {

struct Remote {
  std::string name;
  std::string url;  // as configured: url.*.insteadOf of the user is not applied
};

// The settings of a repository that say with which servers it works. The agent may write them, so
// they are read before it starts.
struct Remotes {
  std::string branch;           // that is checked out; "" if HEAD is on none
  std::vector<Remote> remotes;  // sorted by name
  std::string upstream;         // the remote of the branch; ""
  std::string push;             // where the user said to push; ""
  std::string chosen;           // the remote that gh was told to ask ("gh repo set-default"); ""

  const Remote* find(std::string_view name) const;  // nullptr: no such remote
  // The remote of the project: the one gh was told, upstream, github, the branch's, origin, the
  // only one. nullptr if there is none, or several of other names.
  const Remote* project() const;
  // The remote that branches are pushed to: the user's choice, origin if the project's is another
  // (a fork), else the project's.
  const Remote* pushed() const;
};

// Runs git, offline.
base::Result<Remotes> remotes_of(const std::string& repository);

}  // namespace orch::repo
