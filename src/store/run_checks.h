#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orch::store {

// One run of a --verify command.
struct GateRun {
  int n = 0;  // from 1: its output is gates/<n>.log
  std::string command;
  int code = 0;  // as a shell tells it: 128 + n for a signal
  int64_t duration_ms = 0;
  bool timed_out = false;
  std::string output;  // the end of it; "" where it passed
  bool operator==(const GateRun&) const = default;
};

// What was found for --require-changes.
struct FoundChanges {
  std::string unknown;  // why it cannot be told; ""
  bool head_moved = false;
  int files = 0;
  std::vector<std::string> paths;  // some of them
  bool operator==(const FoundChanges&) const = default;
};

// The folder of --worktree that the agent worked in.
struct WorktreeEnd {
  std::string path;
  std::string branch;  // "orch/42"
  bool kept = true;    // false: removed, for nothing was left in it
  std::string why;     // it was kept; "" where it was not
  bool branch_kept = true;
  bool operator==(const WorktreeEnd&) const = default;
};

// "nothing", "commit, 3 files", "not known: ..."
std::string changes_text(const FoundChanges& changes);

// What `orch changes` tells the run that asks.
std::string to_json(const FoundChanges& changes);
base::Result<FoundChanges> found_changes_from_json(std::string_view text);

// What `orch leave-worktree` tells.
std::string to_json(const WorktreeEnd& worktree);
base::Result<WorktreeEnd> worktree_end_from_json(std::string_view text);

}  // namespace orch::store
