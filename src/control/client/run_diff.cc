#include "client/run_diff.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "options/first_words.h"
#include "store/state_file.h"

namespace orch::client {
namespace {

std::string snapshot_of(const store::RunFolder& run) { return run.path + "/snapshot"; }

// Whether the folder that a snapshot was taken of is still that folder.
bool stands(const std::string& snapshot) {
  const base::Result<repo::Manifest> manifest = repo::read_manifest(snapshot);
  if (!manifest || manifest->roots.empty()) return false;
  const uint64_t then = manifest->roots.front().inode;
  struct stat now {};
  return ::stat(manifest->work_dir.c_str(), &now) == 0 && (then == 0 || then == now.st_ino);
}

// Finds the first run with a snapshot that began in the same folder after this one had ended.
base::Status find_later(const std::string& state_dir, const RunView& run, DiffFacts& facts) {
  if (!run.record.ended) return base::Ok{};
  const base::Result<std::vector<store::RunFolder>> folders = store::run_folders(state_dir);
  if (!folders) return folders.error();
  for (const store::RunFolder& other : *folders) {
    if (other.id <= run.record.id) continue;
    const store::Presence snapshot = snapshot_in(other);
    if (snapshot.is_unknown()) return snapshot.error();
    if (snapshot.is_absent()) continue;
    const store::Found<store::RunRecord> record = store::record_of(other);
    if (record.is_unknown() && store::is_refused(record.error())) return record.error();
    if (!record.is_present() || record->cwd != run.record.cwd ||
        record->started < *run.record.ended) {
      continue;
    }
    facts.later_snapshot = snapshot_of(other);
    facts.later_run = other.id;
    break;
  }
  return base::Ok{};
}

// The run's worktree if it was kept for its uncommitted changes and is there; otherwise "".
std::string kept_worktree_of(const RunView& run) {
  if (!run.record.verdict || !run.record.verdict->worktree) return "";
  const store::WorktreeEnd& worktree = *run.record.verdict->worktree;
  const bool stands = worktree.kept && !store::is_absent(worktree.path);
  return stands ? worktree.path : "";
}

base::Result<DiffFacts> facts_of(const std::string& state_dir, const RunView& run) {
  const store::Presence snapshot = snapshot_in(run.folder);
  if (snapshot.is_unknown()) return snapshot.error();
  DiffFacts facts;
  facts.has_snapshot = snapshot.is_present();
  facts.is_over = run.record.ended.has_value() || run.host_died;
  facts.has_worktree = run.record.verdict && run.record.verdict->worktree;
  facts.knows_commits = !run.record.git_before.empty() && !run.record.git_after.empty();
  if (!facts.has_snapshot) {
    facts.has_uncommitted = !kept_worktree_of(run).empty();
    return facts;
  }
  facts.folder_stands = stands(snapshot_of(run.folder));
  const store::Presence end = end_snapshot_in(run.folder);
  if (end.is_unknown()) return end.error();
  facts.has_end = end.is_present();
  if (base::Status s = find_later(state_dir, run, facts); !s) return s.error();
  return facts;
}

}  // namespace

store::Presence snapshot_in(const store::RunFolder& run) {
  return store::presence_of(snapshot_of(run) + "/manifest");
}

std::string end_snapshot_of(const store::RunFolder& run) { return run.path + "/snapshot-end"; }

store::Presence end_snapshot_in(const store::RunFolder& run) {
  return store::presence_of(end_snapshot_of(run) + "/manifest");
}

DiffSides sides_of(const DiffFacts& facts) {
  const bool knows_end = facts.has_snapshot && facts.is_over && facts.has_end;
  if (knows_end && facts.folder_stands) return DiffSides::kSnapshotToEnd;
  if (facts.has_snapshot && facts.is_over && !facts.later_snapshot.empty()) {
    return DiffSides::kSnapshotToSnapshot;
  }
  if (facts.has_snapshot && facts.folder_stands) return DiffSides::kSnapshotToNow;
  // Of a folder that is gone git's rules are not known, so its commits say more than its files.
  if (facts.has_worktree && facts.knows_commits && !facts.has_uncommitted) {
    return DiffSides::kCommits;
  }
  return knows_end ? DiffSides::kSnapshotToEnd : DiffSides::kUnknown;
}

std::string why_no_snapshot(const store::RunFolder& folder) {
  const store::Presence snapshot = snapshot_in(folder);
  if (snapshot.is_unknown()) return base::printable(snapshot.error().text);
  if (snapshot.is_present()) return "";
  const store::Found<store::RunResult> result = store::result_of(folder);
  if (result.is_unknown()) return base::printable(result.error().text);
  if (result.is_present() && !result->snapshot_note.empty()) {
    return base::printable(result->snapshot_note);
  }
  const store::Found<store::RunRecord> record = store::record_of(folder);
  if (record.is_unknown()) return base::printable(record.error().text);
  if (record.is_present() && record->request) {
    if (!record->request->snapshot) return "it was started with --no-snapshot";
    if (!record->request->command.empty()) {
      return "one is taken for agents, and for a program after -- only with --require-changes or "
             "--approve";
    }
  }
  if (record.is_present() && record->agent == "demo") return "the demo agent changes nothing";
  return "none was taken";
}

namespace {

base::Error unknown(const RunView& run) {
  const std::string why = why_no_snapshot(run.folder), worktree = kept_worktree_of(run);
  const std::string look =
      worktree.empty() ? ""
                       : "; its worktree is kept: git -C " + base::printable(worktree) + " diff";
  return {base::ErrorCode::kNotFound,
          "run " + run.record.id + ": its changes are not known: " +
              (why.empty() ? "its folder " + base::printable(run.record.cwd) +
                                 " is gone, or is another one now"
                           : "there is no snapshot of its folder: " + why + look)};
}

// Adds what the commits of a worktree that was kept, and is gone, do not show.
base::Result<RunDiff> with_gap(base::Result<RunDiff> told, const RunView& run) {
  const bool kept =
      run.record.verdict && run.record.verdict->worktree && run.record.verdict->worktree->kept;
  if (told && kept) {
    told->diff.add_note("worktree " + base::printable(run.record.verdict->worktree->path) +
                        " is gone: what was not committed there is not known");
  }
  return told;
}

base::Result<RunDiff> told(base::Result<repo::Diff> diff, std::string after) {
  if (!diff) return diff.error();
  return RunDiff{std::move(diff).value(), std::move(after)};
}

}  // namespace

namespace {

// Whether the run begins an issue of its own: it continues no other run, and is named after its
// prompt or its program.
bool begins_issue(const RunView& run) {
  if (run.record.parent || !run.record.request) return false;
  return options::name_for(*run.record.request, run.record.request->prompt.value_or("")) ==
         run.record.issue;
}

// The steps of earlier runs of an issue. The end of a run that was killed is taken for the next
// one's begin.
std::vector<repo::DiffStep> steps_of(const std::vector<RunView>& runs) {
  std::vector<repo::DiffStep> steps;
  std::string next;
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    if (!snapshot_in(run->folder).is_present()) continue;
    const std::string begun = snapshot_of(run->folder);
    const bool ended = end_snapshot_in(run->folder).is_present();
    if (!next.empty()) steps.push_back({begun, ended ? end_snapshot_of(run->folder) : next});
    next = begun;
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

}  // namespace

base::Result<std::vector<RunView>> runs_of_issue(const std::string& state_dir, const RunView& run) {
  const base::Result<std::vector<store::RunFolder>> folders = store::run_folders(state_dir);
  if (!folders) return folders.error();
  std::vector<RunView> runs{run};
  for (auto other = folders->rbegin(); other != folders->rend(); ++other) {
    if (other->id >= run.record.id || other->issue != run.record.issue) continue;
    if (begins_issue(runs.back())) break;
    const store::ReadRecord read = store::read_record(*other);
    if (read.state == store::RecordState::kNotBegun) continue;
    RunView view = view_any_run(state_dir, *other);
    if (!view.unreadable.empty() || view.record.cwd != run.record.cwd) continue;
    runs.push_back(std::move(view));
  }
  std::reverse(runs.begin(), runs.end());
  return runs;
}

base::Result<RunDiff> diff_of_issue(const std::string& state_dir, const std::vector<RunView>& runs,
                                    const std::vector<repo::FileIdentity>& own_files) {
  const RunView& run = runs.back();
  const base::Result<DiffFacts> known = facts_of(state_dir, run);
  if (!known) return known.error();
  const DiffFacts& facts = *known;
  const repo::ChangesWanted since{.work_dir = run.record.cwd,
                                  .snapshot = snapshot_of(run.folder),
                                  .head = run.record.git_before,
                                  .own_files = own_files};
  const std::vector<repo::DiffStep> earlier = steps_of(runs);
  switch (sides_of(facts)) {
    case DiffSides::kSnapshotToEnd:
      return told(repo::Diff::since({since, end_snapshot_of(run.folder), earlier}),
                  std::string(kItsEnd));
    case DiffSides::kSnapshotToNow:
      return told(repo::Diff::since({since, "", earlier}), "what is there now");
    case DiffSides::kSnapshotToSnapshot:
      return told(repo::Diff::since({since, facts.later_snapshot, earlier}),
                  "the folder when run " + facts.later_run + " began");
    case DiffSides::kCommits:
      return with_gap(told(repo::Diff::of_commits({.repository = run.record.repository,
                                                   .before = runs.front().record.git_before,
                                                   .after = run.record.git_after}),
                           "its last commit"),
                      run);
    case DiffSides::kUnknown:
      return unknown(run);
  }
  return unknown(run);
}

base::Result<RunDiff> diff_of(const std::string& state_dir, const RunView& run,
                              const std::vector<repo::FileIdentity>& own_files) {
  return diff_of_issue(state_dir, {run}, own_files);
}

}  // namespace orch::client
