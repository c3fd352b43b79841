#pragma once

#include <sys/types.h>

#include <array>
#include <string>
#include <vector>

#include "base/result.h"

namespace orch::pty {

// What a child has as its input, output and error output.
struct ChildStdio {
  enum class Kind { kTerminal, kPipes };
  Kind kind = Kind::kPipes;  // kTerminal: fds[0] becomes the controlling terminal
  std::array<int, 3> fds{};  // stay the caller's
};

enum class ParentDeath {
  kOutlive,
  kDieToo,    // SIGKILL when the thread that started it is gone; the child may take that back
  kAskToEnd,  // SIGTERM then, for a child that puts its own affairs in order
};

// Starts argv[0], found along the PATH of `env` ("K=V", complete), in `cwd` ("" is ours), as leader
// of a session and process group of its own, with default signal dispositions, nothing blocked and
// no other descriptor open, with the limit of open files that we were started with; in the control
// group of `cgroup_entrance` (see Cgroup; -1: in ours) if it may go there. Costs ~1 ms whatever our
// memory: the child borrows it until exec; one that does not come to that within 5 s is killed.
// Errors, "spawn NAME: ...": kNotFound, kNotExecutable, kUsage (cwd, a NUL byte), kSystem; then
// there is no child. The caller reaps what it gets.
base::Result<pid_t> spawn_child(const std::vector<std::string>& argv, const std::string& cwd,
                                const std::vector<std::string>& env, const ChildStdio& stdio,
                                int cgroup_entrance = -1,
                                ParentDeath parent_death = ParentDeath::kOutlive);

}  // namespace orch::pty
