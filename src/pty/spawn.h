#pragma once

#include <sys/types.h>

#include <array>
#include <string>
#include <vector>

#include "base/result.h"

namespace orch::pty {

// The standard input, output and error of a child.
struct ChildStdio {
  enum class Kind { kTerminal, kPipes };
  Kind kind = Kind::kPipes;  // kTerminal: fds[0] becomes its controlling terminal
  std::array<int, 3> fds{};  // they are copied; the caller still owns them
};

enum class Leads {
  kSession,  // a session and a process group of its own
  kNothing,  // it stays in ours, and so has our terminal and its signals
};

enum class ParentDeath {
  kOutlive,
  kDieToo,    // by SIGKILL when the thread that started it is gone; the child may undo that
  kAskToEnd,  // the same by SIGTERM, for a child that cleans up first
};

// Starts argv[0], searched for along the PATH of `env` ("K=V", the whole environment), in `cwd`
// ("": ours). The child leads what `leads` says; its signals have default
// dispositions and are not blocked; it has no other descriptors, and the limit of open files that
// we were started with. It is in the control group of `cgroup_entrance` (see Cgroup; -1: in ours)
// if it may enter that. Takes ~1 ms however much memory we have, because the child shares it until
// exec; a child that does not reach exec within 5 s is killed. Errors, "spawn NAME: ...":
// kNotFound, kNotExecutable, kUsage (cwd, a NUL byte), kSystem; no child is left then. The caller
// has to reap the child.
base::Result<pid_t> spawn_child(const std::vector<std::string>& argv, const std::string& cwd,
                                const std::vector<std::string>& env, const ChildStdio& stdio,
                                int cgroup_entrance = -1,
                                ParentDeath parent_death = ParentDeath::kOutlive,
                                Leads leads = Leads::kSession);

}  // namespace orch::pty
