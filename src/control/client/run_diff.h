#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/runs.h"
#include "repo/diff.h"

namespace orch::client {

// The known facts of a run that decide which state its folder's earlier state is compared with.
struct DiffFacts {
  bool has_snapshot = false;
  bool is_over = true;
  bool folder_stands = false;  // the folder is there, and is the one that the run worked in
  bool has_end = false;        // a snapshot of the folder at the run's end
  // The snapshot of the first run that began in the same folder after this one had ended; "" if
  // there is none.
  std::string later_snapshot, later_run;
  bool has_worktree = false;   // the run worked in a worktree of its own
  bool knows_commits = false;  // that were checked out before and after it
  // Its worktree stands, with uncommitted changes: the commits alone would be incomplete.
  bool has_uncommitted = false;
};

// The two states whose difference a run made.
enum class DiffSides : uint8_t {
  kSnapshotToEnd,
  kSnapshotToNow,
  kSnapshotToSnapshot,  // later changes are not the run's
  kCommits,             // the folder is gone: the run's commits
  kUnknown,
};
DiffSides sides_of(const DiffFacts& facts);

// The difference that a run made, and the later state that it was found with.
struct RunDiff {
  repo::Diff diff;
  std::string after;  // a phrase: "its end", "what is there now", "what was there when ... began"
};
inline constexpr std::string_view kItsEnd = "its end";
// An error says why the difference is unknown. `own_files` are files of this process's own, such as
// the one that it writes to. Blocking; runs git (repo/diff.h).
base::Result<RunDiff> diff_of(const std::string& state_dir, const RunView& run,
                              const std::vector<repo::FileIdentity>& own_files = {});

// The runs of the issue of a run, in the same folder, since the issue began, up to this run; the
// oldest first. A run that is named after its prompt or program, and continues no other, begins an
// issue of its own. Runs without a record that could be read are left out.
base::Result<std::vector<RunView>> runs_of_issue(const std::string& state_dir, const RunView& run);
// The difference that they made together; `runs` is not empty. What others changed in the folder
// between these runs is not in it.
base::Result<RunDiff> diff_of_issue(const std::string& state_dir, const std::vector<RunView>& runs,
                                    const std::vector<repo::FileIdentity>& own_files = {});

// Whether a run has a whole snapshot of its folder.
store::Presence snapshot_in(const store::RunFolder& run);
// Whether it also has one of its folder at its end. A run that was killed has none.
store::Presence end_snapshot_in(const store::RunFolder& run);
std::string end_snapshot_of(const store::RunFolder& run);  // its folder
// Why a run has no snapshot of its folder, and so no undo; "" if it has one.
std::string why_no_snapshot(const store::RunFolder& folder);

}  // namespace orch::client
