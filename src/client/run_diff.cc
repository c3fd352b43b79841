#include "client/run_diff.h"

#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "base/text.h"
#include "store/time_text.h"

namespace orch::client {
namespace {

std::string snapshot_of(const store::RunFolder& run) { return run.path + "/snapshot"; }

bool has_snapshot(const store::RunFolder& run) {
  return ::access((snapshot_of(run) + "/manifest").c_str(), F_OK) == 0;
}

// Whether the folder that a snapshot was taken of is still that folder.
bool stands(const std::string& snapshot) {
  const base::Result<repo::Manifest> manifest = repo::read_manifest(snapshot);
  if (!manifest || manifest->roots.empty()) return false;
  const uint64_t then = manifest->roots.front().inode;
  struct stat now {};
  return ::stat(manifest->work_dir.c_str(), &now) == 0 && (then == 0 || then == now.st_ino);
}

// Finds the first run with a snapshot that began in the same folder after this one had ended.
void find_later(const std::string& state_dir, const RunView& run, DiffFacts& facts) {
  if (!run.record.ended) return;
  for (const store::RunFolder& other : store::run_folders(state_dir)) {
    if (other.id <= run.record.id || !has_snapshot(other)) continue;
    const std::optional<store::RunRecord> record = store::record_of(other);
    if (!record || record->cwd != run.record.cwd || record->started < *run.record.ended) continue;
    facts.later_snapshot = snapshot_of(other);
    facts.later_run = other.id;
    return;
  }
}

// The worktree of the run that was kept for what is not committed, if it is there; else "".
std::string kept_worktree_of(const RunView& run) {
  if (!run.record.verdict || !run.record.verdict->worktree) return "";
  const store::WorktreeEnd& worktree = *run.record.verdict->worktree;
  const bool stands = worktree.kept && ::access(worktree.path.c_str(), F_OK) == 0;
  return stands ? worktree.path : "";
}

DiffFacts facts_of(const std::string& state_dir, const RunView& run) {
  DiffFacts facts;
  facts.has_snapshot = has_snapshot(run.folder);
  facts.is_over = run.record.ended.has_value() || run.host_died;
  facts.has_worktree = run.record.verdict && run.record.verdict->worktree;
  facts.knows_commits = !run.record.git_before.empty() && !run.record.git_after.empty();
  if (!facts.has_snapshot) {
    facts.has_uncommitted = !kept_worktree_of(run).empty();
    return facts;
  }
  facts.folder_stands = stands(snapshot_of(run.folder));
  find_later(state_dir, run, facts);
  return facts;
}

}  // namespace

DiffSides sides_of(const DiffFacts& facts) {
  if (facts.has_snapshot && facts.is_over && !facts.later_snapshot.empty()) {
    return DiffSides::kSnapshotToSnapshot;
  }
  if (facts.has_snapshot && facts.folder_stands) return DiffSides::kSnapshotToNow;
  if (facts.has_worktree && facts.knows_commits && !facts.has_uncommitted) {
    return DiffSides::kCommits;
  }
  return DiffSides::kUnknown;
}

std::string why_no_snapshot(const store::RunFolder& folder) {
  if (has_snapshot(folder)) return "";
  const std::optional<store::RunResult> result = store::result_of(folder);
  if (result && !result->snapshot_note.empty()) return base::printable(result->snapshot_note);
  const std::optional<store::RunRecord> record = store::record_of(folder);
  if (record && record->request) {
    if (!record->request->snapshot) return "it was started with --no-snapshot";
    if (!record->request->command.empty()) {
      return "one is taken for agents, and for a program after -- only with --require-changes or "
             "--approve";
    }
  }
  if (record && record->agent == "demo") return "the demo agent changes nothing";
  return "none was taken";
}

namespace {

base::Error unknown(const RunView& run) {
  const std::string why = why_no_snapshot(run.folder), worktree = kept_worktree_of(run);
  const std::string look =
      worktree.empty() ? ""
                       : "; its worktree is kept: git -C " + base::printable(worktree) + " diff";
  return {base::ErrorCode::kNotFound,
          "run " + run.record.id + ": what it changed is not known, for " +
              (why.empty() ? "its folder " + base::printable(run.record.cwd) +
                                 " is gone, or is another one now"
                           : "there is no snapshot of its folder: " + why + look)};
}

base::Result<RunDiff> told(base::Result<repo::Diff> diff, std::string after) {
  if (!diff) return diff.error();
  return RunDiff{std::move(diff).value(), std::move(after)};
}

}  // namespace

base::Result<RunDiff> diff_of(const std::string& state_dir, const RunView& run,
                              const std::vector<repo::FileIdentity>& own_files) {
  const DiffFacts facts = facts_of(state_dir, run);
  const repo::ChangesWanted since{.work_dir = run.record.cwd,
                                  .snapshot = snapshot_of(run.folder),
                                  .head = run.record.git_before,
                                  .own_files = own_files};
  switch (sides_of(facts)) {
    case DiffSides::kSnapshotToNow:
      return told(repo::Diff::since({since, ""}), "what is there now");
    case DiffSides::kSnapshotToSnapshot:
      return told(repo::Diff::since({since, facts.later_snapshot}),
                  "what was there when run " + facts.later_run + " began");
    case DiffSides::kCommits:
      return told(repo::Diff::of_commits({.repository = run.record.repository,
                                          .before = run.record.git_before,
                                          .after = run.record.git_after}),
                  "its last commit");
    case DiffSides::kUnknown:
      return unknown(run);
  }
  return unknown(run);
}

}  // namespace orch::client
