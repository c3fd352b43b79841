#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "pty/process_table.h"

// Finds out which processes belong together. Pure.
namespace orch::pty {

struct Sighted {
  ProcessEntry process;
  Mark mark = Mark::kNone;
};

// Processes that live or have lived, each by its pid and start time.
using Known = std::map<pid_t, uint64_t>;

struct Family {
  std::vector<ProcessEntry> members;
  bool unclear = false;  // some process may or may not belong to it
};

// The processes of `all` that are marked or known, and all that descend from these: their children,
// and all processes of a session that one of them leads or has led. Leaves out `self`, and
// processes found only through it.
Family family_in(std::span<const Sighted> all, const Known& known, pid_t self);

}  // namespace orch::pty
