#pragma once

#include "store/former_name.h"

// The fields of a run's checks in result.json and in the verdict of run.json; see
// base/json_writer.h.
namespace orch::store {

inline constexpr auto kGateFields = [](auto& in, auto& gate) {
  in.required("n", gate.n);
  in.required("command", gate.command);
  in.required("code", gate.code);
  in.optional(name_in(in, "ms", "duration_ms"), gate.duration_ms);
  in.optional("timed_out", gate.timed_out);
  in.sparse("output", gate.output);
};

inline constexpr auto kChangesFields = [](auto& in, auto& changes) {
  in.nullable("unknown", changes.unknown);
  in.required("head_moved", changes.head_moved);
  in.required("files", changes.files);
  in.optional("paths", changes.paths);
};

inline constexpr auto kWorktreeFields = [](auto& in, auto& worktree) {
  in.required("path", worktree.path);
  in.required("branch", worktree.branch);
  in.required("kept", worktree.kept);
  in.nullable("why", worktree.why);
  in.optional("branch_kept", worktree.branch_kept);
};

}  // namespace orch::store
