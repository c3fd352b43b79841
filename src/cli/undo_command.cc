#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/kept_presents.h"
#include "cli/new_command.h"
#include "cli/undo_listing.h"
#include "client/find.h"
#include "client/run_diff.h"
#include "fence/plan.h"
#include "repo/since_end.h"
#include "repo/undo.h"
#include "repo/way_back.h"
#include "setup/paths.h"
#include "store/folder_chain.h"
#include "store/runs.h"
#include "store/session_file.h"
#include "store/state_file.h"
#include "store/time_text.h"
#include "store/undo_claim.h"

namespace orch::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kDeclined = 1;

struct UndoOptions {
  std::string run;
  bool dry_run = false, list = false, yes = false, json = false;
  bool redo = false, shared = false, later = false, no_redo = false, force = false;
  std::vector<std::string> only;
  std::optional<std::string> state_dir;
};

base::Error not_found(std::string text) { return {base::ErrorCode::kNotFound, std::move(text)}; }

// Finds a run by its id or issue; for "" the newest run of this repository that has a snapshot.
base::Result<store::RunFolder> find_run(const client::Place& place, const std::string& word) {
  if (!word.empty()) {
    base::Result<client::Found> found = client::find_run(place, word, client::Reach::kHere);
    if (!found) return found.error();
    return std::move(found->run);
  }
  base::Result<store::RunFolder> run = client::newest_run_here(place, client::snapshot_in);
  if (run || run.error().code != base::ErrorCode::kNotFound) return run;
  return not_found("no run of this repository has a snapshot");
}

// Fails if a session works in the directory, or may: nothing may change it during an undo.
base::Status check_idle(const std::string& state_dir, const store::RunFolder& run,
                        const std::string& work_dir) {
  const base::Result<std::vector<store::SessionRecord>> sessions = store::list_sessions(state_dir);
  if (!sessions) return sessions.error();
  const store::FolderPlace place = store::folder_place(work_dir);
  for (const store::SessionRecord& session : *sessions) {
    if (session.status != store::SessionStatus::kRunning) continue;
    const base::Result<std::string> cwd = setup::resolve_folder(session.cwd);
    const bool is_unknown = session.cwd.empty();  // its file cannot be read
    const bool near =
        is_unknown || store::overlap(store::folder_place(cwd ? *cwd : session.cwd), place);
    if (session.run != run.id && !near) continue;
    if (!session.unreadable.empty()) {
      return base::usage_error(session.name +
                               " is at work there, or may be: " + session.unreadable);
    }
    return base::usage_error(session.name + " is at work there; end it first: orch kill " +
                             session.issue);
  }
  return base::Ok{};
}

// Runs that ended after `run` had begun, and whose changes an undo of `run` takes back, too: how
// many worked in the directory, and which may have, because their records cannot be read.
struct LaterRuns {
  std::vector<std::string> there;
  std::vector<std::string> perhaps;  // lines that name them and say why they cannot be read
};

// Whether a run worked in the folder of the run to undo, above it or below it, whatever that folder
// was called then or is now.
bool worked_near(const store::RunRecord& other, const store::RunRecord& undone,
                 const std::string& work_dir) {
  return store::overlap({other.cwd, other.folders}, {work_dir, undone.folders}) ||
         store::overlap(store::folder_place(other.cwd), store::folder_place(work_dir));
}

// Runs are compared by their ends: one that began before `run` may have written after it.
base::Result<LaterRuns> later_runs(const std::string& state_dir, const store::RunFolder& run,
                                   const std::string& work_dir) {
  const base::Result<std::vector<store::RunFolder>> others = store::run_folders(state_dir);
  if (!others) return others.error();
  LaterRuns later;
  const store::RunRecord undone = store::read_record(run).record;
  const auto began = store::parse_rfc3339_utc(undone.started).value_or(store::time_in_name(run));
  for (const store::RunFolder& other : *others) {
    if (other.id == run.id) continue;
    const store::ReadRecord read = store::read_record(other);
    if (read.state == store::RecordState::kNotBegun) continue;
    if (other.id < run.id) {
      const store::Found<store::TimePoint> end = store::last_sign_of(other, read.record);
      if (end.is_absent() || (end.is_present() && *end <= began)) continue;
    }
    if (read.record.cwd.empty()) {
      later.perhaps.push_back("the record of run " + other.id +
                              ", which is later, cannot be read: if it worked there, what it did "
                              "goes as well (" +
                              read.why + ")");
    } else if (worked_near(read.record, undone, work_dir)) {
      later.there.push_back(other.id);
    }
  }
  return later;
}

// Records the closed places that a running, or cut off, undo has opened.
std::string journal_of(const store::RunFolder& run) { return run.path + "/undo-opened"; }

// The places that the run's fence closed to the agent; none if it had no fence.
base::Result<std::vector<std::string>> closed_to_agent(const store::RunFolder& run) {
  constexpr size_t kMostPlanBytes = 4 << 20;
  const std::string file = run.path + "/fence.json";
  const store::Found<std::string> text = store::read_state(file, kMostPlanBytes);
  if (text.is_absent()) return std::vector<std::string>();
  if (text.is_unknown()) return text.error();
  base::Result<fence::Plan> plan = fence::plan_from_json(*text, file);
  if (!plan) return plan.error();
  return std::move(plan->secrets.closed);
}

// Whether a path of --only is neither in the snapshot nor on the disk, and so probably misspelt.
// False if the path cannot be looked at.
bool is_nowhere(const repo::Manifest& manifest, const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0 || (errno != ENOENT && errno != ENOTDIR)) return false;
  return std::none_of(
      manifest.roots.begin(), manifest.roots.end(), [&](const repo::KeptRoot& root) {
        return path == root.spec.path ||
               std::any_of(root.entries.begin(), root.entries.end(),
                           [&](const repo::KeptEntry& kept) {
                             return path == repo::joined(root.spec.path, kept.entry.path);
                           });
      });
}

base::Result<repo::UndoScope> scope_of(const UndoOptions& options, const repo::Manifest& manifest) {
  repo::UndoScope scope{.only = {}, .shared = options.shared, .later = options.later};
  std::error_code gone;
  const fs::path here = fs::current_path(gone);
  for (const std::string& word : options.only) {
    if (word.empty()) return base::usage_error("--only needs a path, and got an empty one");
    std::string path = ((gone ? fs::path(manifest.work_dir) : here) / word).lexically_normal();
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    const bool known = std::any_of(
        manifest.roots.begin(), manifest.roots.end(),
        [&](const repo::KeptRoot& root) { return repo::is_within(path, root.spec.path); });
    if (!known) return base::usage_error(path + " is not in " + manifest.work_dir);
    if (is_nowhere(manifest, path)) {
      return base::usage_error(path + " is neither in the snapshot nor there");
    }
    scope.only.push_back(std::move(path));
  }
  return scope;
}

bool is_confirmed() {
  std::fprintf(stderr, "Go on? [y/N] ");
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

// The subject of an undo, found and checked.
struct Subject {
  std::string state_dir;
  store::RunFolder run;
  std::string snapshot;
  std::string brought_back;  // the folder that an undo to redo brought back; "": unknown, or none
  std::string ended;         // the snapshot of the run's end; "": there is none, or it is a redo
  repo::Manifest manifest;
  repo::UndoScope scope;
};

// Whether another folder has taken the place of the work directory. If it is just gone, an undo
// makes it again.
bool is_another_folder(const repo::Manifest& manifest) {
  const uint64_t then = manifest.roots.front().inode;
  struct stat now {};
  return then != 0 && ::stat(manifest.work_dir.c_str(), &now) == 0 && now.st_ino != then;
}

bool is_gone(const std::string& folder) {
  struct stat now {};
  return ::lstat(folder.c_str(), &now) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

// The folder of the run, if it was moved, and is the present folder or one above it now; "" if not.
std::string moved_to(const client::Place& place, const store::RunRecord& run) {
  if (run.folders.empty() || place.folder.empty()) return "";
  fs::path at = place.folder;
  for (const std::string& identity : store::folder_chain(place.folder)) {
    if (identity == run.folders.front()) return at;
    at = at.parent_path();
  }
  return "";
}

// Why nothing is undone, if the work directory is not where it was; "" if it is.
std::string why_misplaced(const UndoOptions& options, const Subject& subject,
                          const client::Place& place, const store::RunRecord& run) {
  const std::string& folder = subject.manifest.work_dir;
  if (is_another_folder(subject.manifest)) {
    return folder + " is another folder than the one in which " + subject.run.id +
           " worked: it was moved or made anew; --force undoes in it nevertheless";
  }
  if (!is_gone(folder)) return "";
  if (const std::string moved = moved_to(place, run); !moved.empty()) {
    return folder + " is " + moved + " now; move it back for the undo";
  }
  if (subject.ended.empty() || options.later) return "";
  return folder + " was removed or moved after the run's end; --later makes it again";
}

base::Result<Subject> subject_of(const UndoOptions& options) {
  const base::Result<client::Place> place = setup::place_of(options.state_dir);
  if (!place) return place.error();
  base::Result<store::RunFolder> run = find_run(*place, options.run);
  if (!run) return run.error();
  const store::ReadRecord read = store::read_record(*run);
  const bool only_look = options.dry_run || options.list;
  const bool is_doubtful = read.state == store::RecordState::kOtherVersion || read.is_refused;
  if (is_doubtful && !options.force && !only_look) {
    return base::usage_error("run " + run->id + ": " + read.why +
                             "; --force undoes it nevertheless");
  }
  if (is_doubtful) {
    std::fprintf(stderr, "orch: run %s: %s\n", base::printable(run->id).c_str(),
                 base::printable(read.why).c_str());
  }
  Subject subject{place->state_dir, *run, run->path + "/snapshot", "", "", {}, {}};
  const store::Presence kept_before = client::snapshot_in(*run);
  if (kept_before.is_unknown()) return kept_before.error();
  if (kept_before.is_absent()) {
    return not_found("run " + run->id + " has no snapshot: " + client::why_no_snapshot(*run));
  }
  if (options.redo) {
    const base::Result<KeptPresents> kept = KeptPresents::of(*run);
    if (!kept) return kept.error();
    const int number = kept->to_redo();
    if (number == 0) return not_found("run " + run->id + " was not undone");
    subject.snapshot = kept->folder(number);
    subject.brought_back = kept->brought_back(number);
  } else {
    const store::Presence end = client::end_snapshot_in(*run);
    if (end.is_unknown()) return end.error();
    if (end.is_present()) subject.ended = client::end_snapshot_of(*run);
  }
  base::Result<repo::Manifest> manifest = repo::read_manifest(subject.snapshot);
  if (!manifest) return manifest.error();
  subject.manifest = std::move(manifest).value();
  if (const std::string why = why_misplaced(options, subject, *place, read.record); !why.empty()) {
    if (!options.force && !only_look) return base::usage_error(why);
    std::fprintf(stderr, "orch: %s\n", base::printable(why).c_str());
  }
  base::Result<repo::UndoScope> scope = scope_of(options, subject.manifest);
  if (!scope) return scope.error();
  subject.scope = std::move(scope).value();
  if (!options.redo) subject.scope.position = repo::UndoScope::Position::kLeftIfMoved;
  return subject;
}

// Reports an error if something cannot be brought back, because the snapshot lacks it.
int report_lacking(const Subject& subject, const std::vector<repo::Change>& changes) {
  const UndoListing listing(subject.manifest, changes);
  const size_t lacking = listing.count(repo::Act::kCannot);
  if (lacking == 0) return 0;
  const auto first = std::find_if(changes.begin(), changes.end(), [](const repo::Change& change) {
    return change.act == repo::Act::kCannot;
  });
  return report(
      base::Error{base::ErrorCode::kSystem,
                  fmt::format("{} cannot be brought back, the first of them {} ({})", lacking,
                              base::printable(shown_path(subject.manifest, *first)), first->why)});
}

int report_outcome(const UndoOptions& options, const Subject& subject, const std::string& kept_in,
                   const repo::UndoReport& outcome, const std::string& git_command) {
  for (const std::string& failure : outcome.failures) {
    std::fprintf(stderr, "orch: %s\n", base::printable(without_secrets(failure)).c_str());
  }
  if (options.json) {
    const UndoListing listing(subject.manifest, outcome.done);
    const base::Json json = {{"run", subject.run.id},
                             {"cwd", subject.manifest.work_dir},
                             {"done", listing.json()},
                             {"failures", without_secrets(outcome.failures)},
                             {"lacking", UndoListing(subject.manifest, outcome.lacking).json()},
                             {"kept_in", base::or_null(kept_in)},
                             {"not_kept", without_secrets(outcome.notes)},
                             {"git_command", base::or_null(without_secrets(git_command))}};
    std::printf("%s", base::json_text(json).c_str());
  } else {
    std::fprintf(stderr, "orch: %zu %s%s\n", outcome.done.size(),
                 options.redo ? "as before the undo" : "brought back",
                 kept_in.empty() ? ""
                                 : (", which orch undo " + base::printable(subject.run.id) +
                                    " --redo takes back")
                                       .c_str());
    if (!outcome.notes.empty()) {
      std::fprintf(stderr, "orch: not kept for --redo: %s%s\n",
                   base::printable(without_secrets(outcome.notes.front())).c_str(),
                   outcome.notes.size() > 1
                       ? fmt::format("; and {} more", outcome.notes.size() - 1).c_str()
                       : "");
    }
  }
  if (!outcome.failures.empty()) {
    return report(base::Error{base::ErrorCode::kSystem,
                              fmt::format("{} are not as they were", outcome.failures.size())});
  }
  return report_lacking(subject, outcome.lacking);
}

base::Result<std::vector<repo::Change>> plan_of(const Subject& subject,
                                                const repo::KeptBytes& bytes) {
  if (!subject.ended.empty()) {
    const base::Result<repo::OpenedSnapshot> ended = repo::open_snapshot(subject.ended);
    if (!ended) return ended.error();
    return repo::plan_undo(subject.manifest, bytes, subject.scope,
                           {.modes = {},
                            .brought_back = nullptr,
                            .its_bytes = nullptr,
                            .ended = &ended->manifest,
                            .ended_bytes = &ended->bytes});
  }
  if (subject.brought_back.empty()) {
    return repo::plan_undo(subject.manifest, bytes, subject.scope);
  }
  const base::Result<repo::Manifest> brought_back = repo::read_manifest(subject.brought_back);
  if (!brought_back) return brought_back.error();
  const auto its_bytes = repo::KeptBytes::open(subject.brought_back, *brought_back);
  if (!its_bytes) return its_bytes.error();
  return repo::plan_undo(subject.manifest, bytes, subject.scope,
                         {.modes = {},
                          .brought_back = &*brought_back,
                          .its_bytes = &*its_bytes,
                          .ended = nullptr,
                          .ended_bytes = nullptr});
}

// A few of the names, for a line.
std::string some_of(const std::vector<std::string>& names) {
  constexpr size_t kMost = 8;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  return names.size() > kMost ? text + fmt::format(", and {} more", names.size() - kMost) : text;
}

void tell_later_runs(const Subject& subject) {
  const base::Result<LaterRuns> later =
      later_runs(subject.state_dir, subject.run, subject.manifest.work_dir);
  if (!later) {
    std::fprintf(stderr, "orch: whether later runs worked there is not known: %s\n",
                 base::printable(later.error().text).c_str());
    return;
  }
  const bool stays = !subject.ended.empty() && !subject.scope.later;
  if (!later->there.empty()) {
    std::fprintf(stderr,
                 "orch: runs that ended later worked there, too: what %zu of them did %s: %s\n",
                 later->there.size(), stays ? "stays" : "goes as well",
                 base::printable(some_of(later->there)).c_str());
  }
  for (const std::string& other : later->perhaps) {
    std::fprintf(stderr, "orch: %s\n", base::printable(other).c_str());
  }
}

// The command that moves git's branch back; "" if the undo does it, or if it has not moved.
std::string git_command(const Subject& subject, const repo::KeptBytes& bytes,
                        const std::vector<repo::Change>& changes) {
  const bool left = std::any_of(changes.begin(), changes.end(), [](const repo::Change& change) {
    return change.act == repo::Act::kLeave && change.why == repo::kGitMovedOn;
  });
  return left ? repo::way_back(subject.manifest, bytes) : "";
}

void show_git_command(const std::string& command) {
  if (command.empty()) return;
  std::fprintf(
      stderr,
      "orch: git's branches, index and logs stay, because they have moved on; to move them "
      "back: %s\n",
      base::printable(without_secrets(command)).c_str());
}

void show_plan(const UndoOptions& options, const Subject& subject, const UndoListing& listing) {
  listing.print(options.list);
  std::fprintf(stderr, "orch: run %s in %s: %s\n", base::printable(subject.run.id).c_str(),
               base::printable(without_secrets(subject.manifest.work_dir)).c_str(),
               listing.summary().c_str());
  tell_later_runs(subject);
}

int undo_run(const UndoOptions& options) {
  base::Result<Subject> subject = subject_of(options);
  if (!subject) return report_no_session(subject.error());
  const base::Result<base::Fd> locked = store::lock_run(subject->run);
  if (!locked) return report(locked.error());
  const std::string& work_dir = subject->manifest.work_dir;
  const base::Result<repo::KeptBytes> bytes =
      repo::KeptBytes::open(subject->snapshot, subject->manifest);
  if (!bytes) return report(bytes.error());
  const bool only_look = options.dry_run || options.list;
  if (!only_look) {
    if (base::Status s = check_idle(subject->state_dir, subject->run, work_dir); !s) {
      return report(s.error());
    }
  }
  const base::Result<std::vector<repo::Change>> changes = plan_of(*subject, *bytes);
  if (!changes) return report(changes.error());
  const UndoListing listing(subject->manifest, *changes);
  const std::string command = git_command(*subject, *bytes, *changes);
  if (!options.json) {
    show_plan(options, *subject, listing);
    show_git_command(command);
  } else if (only_look) {
    const base::Json json = {{"run", subject->run.id},
                             {"cwd", work_dir},
                             {"to_do", listing.json()},
                             {"git_command", base::or_null(without_secrets(command))}};
    std::printf("%s", base::json_text(json).c_str());
  }
  if (only_look) return 0;
  const bool cut_off = !store::is_absent(journal_of(subject->run));
  const bool all_seen = !cut_off && listing.count(repo::Act::kUnseen) == 0;
  if (listing.to_do() == 0 && !options.json && all_seen) return report_lacking(*subject, *changes);
  if (!options.yes) {
    if (options.json || ::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) {
      return report(base::usage_error("nothing was changed; --yes does it"));
    }
    std::fflush(stdout);
    if (!is_confirmed()) return kDeclined;
  }
  // Runs that begin from here on see the claim; a run that began before it is found by this check.
  const auto claim = store::UndoClaim::make(subject->state_dir, subject->run.id, work_dir);
  if (!claim) return report(claim.error());
  if (base::Status s = check_idle(subject->state_dir, subject->run, work_dir); !s) {
    return report(s.error());
  }
  const base::Result<KeptPresents> kept = KeptPresents::of(subject->run);
  if (!kept) return report(kept.error());
  const base::Result<std::vector<std::string>> closed = closed_to_agent(subject->run);
  if (!closed) return report(closed.error());
  const int number = kept->next();
  std::string kept_in;
  if (!options.no_redo) {
    kept_in = kept->folder(number);
    if (base::Status s = kept->tell(number, subject->snapshot, false); !s) {
      return report(s.error());
    }
  }
  const base::Result<repo::UndoReport> outcome = repo::undo({.snapshot = subject->snapshot,
                                                             .scope = subject->scope,
                                                             .keep_present_in = kept_in,
                                                             .brought_back = subject->brought_back,
                                                             .journal = journal_of(subject->run),
                                                             .closed = *closed,
                                                             .ended = subject->ended});
  // The undo changed nothing, so it left no folder.
  if (!kept_in.empty() && store::is_absent(kept_in)) {
    std::error_code failure;
    fs::remove(kept_in + ".json", failure);
    kept_in.clear();
  }
  if (!outcome) return report(outcome.error());
  if (!kept_in.empty()) {
    const base::Status told = kept->tell(number, subject->snapshot, outcome->failures.empty());
    if (!told) std::fprintf(stderr, "orch: %s\n", base::printable(told.error().text).c_str());
  }
  return report_outcome(options, *subject, kept_in, *outcome, command);
}

// The runs that the word of an issue means, in the order in which they are undone, the newest
// first; of a redo those that were undone, the oldest first. Empty if the word means one run.
std::vector<std::string> runs_of_word(const UndoOptions& options) {
  const base::Result<client::Place> place = setup::place_of(options.state_dir);
  if (!place || options.run.empty() || options.json) return {};
  const base::Result<store::RunFolder> newest = find_run(*place, options.run);
  if (!newest || newest->id == options.run) return {};
  // Older runs alone are not what the user means; undo_run() says what is missing.
  if (!options.redo && !client::snapshot_in(*newest).is_present()) return {};
  const base::Result<client::RunView> view = client::view_run(place->state_dir, *newest);
  if (!view) return {};
  const auto runs = client::runs_of_issue(place->state_dir, *view);
  if (!runs) return {};
  std::vector<std::string> ids;
  for (const client::RunView& run : *runs) {
    const base::Result<KeptPresents> kept = KeptPresents::of(run.folder);
    const bool is_meant =
        options.redo ? kept && kept->to_redo() > 0 : client::snapshot_in(run.folder).is_present();
    if (is_meant) ids.push_back(run.record.id);
  }
  if (!options.redo) std::reverse(ids.begin(), ids.end());
  return ids;
}

// Each run of an issue is undone by itself, so what the user has changed between two of them stays.
int undo(const UndoOptions& options) {
  const std::vector<std::string> runs = runs_of_word(options);
  if (runs.size() < 2) return undo_run(options);
  std::fprintf(stderr, "orch: issue %s has %zu runs to %s%s\n",
               base::printable(options.run).c_str(), runs.size(),
               options.redo ? "bring back" : "undo, one after the other",
               options.dry_run || options.list ? "; each is compared with what is there now" : "");
  for (const std::string& run : runs) {
    UndoOptions one = options;
    one.run = run;
    if (const int code = undo_run(one); code != 0) return code;
  }
  return 0;
}

}  // namespace

void add_undo_command(CLI::App& app, Chosen& chosen) {
  CommandWith<UndoOptions> command(app, chosen, "undo",
                                   "restore the files as they were before a run", undo);
  command.option("run", command->run,
                 "a run's id, or an issue: all its runs in its folder, with --json the newest "
                 "(default: the newest run here)");
  command.flag("-n,--dry-run", command->dry_run, "only say what would change");
  command.flag("--list", command->list, "the same, with every path");
  command.flag("-y,--yes", command->yes, "do not ask");
  command.option("--only", command->only, "only these files and folders").take_all();
  command.flag("--shared", command->shared,
               "in a linked worktree: change back what other worktrees use, too");
  command.flag("--later", command->later,
               "change back what changed after the run's end, too: your own edits");
  command.flag("--redo", command->redo, "go back to the state before the last undo");
  command.flag("--no-redo", command->no_redo, "do not keep the present files for --redo");
  command.flag("--force", command->force,
               "also a run of a later orch, or in a folder that has taken the place of the run's");
  command.flag("--json", command->json, "one JSON object on standard output");
  command.state_dir();
  command.footer(
      "What the run made stays, and is listed, and so does what changed after its end. If "
      "branches,\n"
      "the index or logs of git have moved since, they all stay, and the git command that moves\n"
      "them back is printed. Exit code 1: you said no; 2: a path of --only is neither in the "
      "snapshot nor in the folder; 4: the run does not exist, or has no snapshot; 125: "
      "something is not as it was, or the snapshot lacks it.\n\n"
      "Examples:\n  orch undo 42 --dry-run\n  orch undo 42 --only src .env\n  orch undo --redo");
}

}  // namespace orch::cli
