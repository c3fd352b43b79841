#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orch::store {

// One run of a gate, a --verify command.
struct GateRun {
  int n = 0;  // counts from 1; the output is in gates/<n>.log
  std::string command;
  int code = 0;  // the exit code as a shell has it: 128 + n for signal n
  int64_t duration_ms = 0;
  bool timed_out = false;
  std::string output;  // the end of the output; "" if the gate passed
  bool operator==(const GateRun&) const = default;
};

// The changes found for --require-changes.
struct FoundChanges {
  std::string unknown;  // why they are not known; "" if they are
  bool head_moved = false;
  int files = 0;
  std::vector<std::string> paths;  // some of the files
  bool operator==(const FoundChanges&) const = default;
};

// The fate of --worktree's worktree.
struct WorktreeEnd {
  std::string path;
  std::string branch;  // "orch/42"
  bool kept = true;    // false: removed, because nothing was left in it
  std::string why;     // why it was kept; "" if it was not
  bool branch_kept = true;
  bool operator==(const WorktreeEnd&) const = default;
};

// For example "nothing", "another commit, 3 files", "not known: ...".
std::string changes_text(const FoundChanges& changes);

// The output of `orch internal changes`, which the run reads.
std::string to_json(const FoundChanges& changes);
base::Result<FoundChanges> found_changes_from_json(std::string_view text);

// The output of `orch internal leave-worktree`.
std::string to_json(const WorktreeEnd& worktree);
base::Result<WorktreeEnd> worktree_end_from_json(std::string_view text);

}  // namespace orch::store
