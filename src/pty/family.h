#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "pty/process_table.h"

// Which processes belong together. Pure.
namespace orch::pty {

struct Sighted {
  ProcessEntry process;
  Mark mark = Mark::kNone;
};

// Processes that are or were there, each by its pid and the start that goes with it.
using Known = std::map<pid_t, uint64_t>;

struct Family {
  std::vector<ProcessEntry> members;
  bool unclear = false;  // somebody could not be told
};

// Those of `all` that are marked or known, and what descends from these: their children, and all
// processes of a session that one of them leads or led. Not `self`, nor what is reached through it
// alone.
Family family_in(std::span<const Sighted> all, const Known& known, pid_t self);

}  // namespace orch::pty
