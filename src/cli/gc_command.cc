#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/duration.h"
#include "base/json.h"
#include "base/name.h"
#include "base/text.h"
#include "cli/command.h"
#include "client/end_session.h"
#include "client/find.h"
#include "client/kept_sessions.h"
#include "client/leftovers.h"
#include "client/remnants.h"
#include "event/exit_reason.h"
#include "fence/work_places.h"
#include "sandbox/orphans.h"
#include "setup/paths.h"
#include "store/runs.h"
#include "store/session_file.h"
#include "store/time_text.h"
#include "task_run/task_folder.h"
#include "task_run/task_status.h"

namespace orch::cli {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kDefaultAgeMs = int64_t{30} * 24 * 3600 * 1000;
// A host takes far less than this to write the first record of a run.
constexpr int64_t kStartMs = 60'000;

struct GcOptions {
  std::string older_than;
  std::string forget;  // the session of --forget
  bool dry_run = false, json = false;
  std::optional<std::string> state_dir;
};

// Counts what is removed, and the bytes that this frees; for --json also lists it.
struct Sweep {
  bool dry_run = false, json = false;
  base::Json removed = base::Json::array(), kept = base::Json::array();
  size_t runs = 0, summaries = 0, sessions = 0, containers = 0, tasks = 0, leftovers = 0;
  size_t failed = 0;  // how many of all of these could not be removed
  uintmax_t bytes = 0;
};

// Tells that something is removed, or of a dry run that it would be. `why` follows its name;
// `error` says why that failed, or is "".
void tell_removed(Sweep& sweep, std::string_view kind, const std::string& name,
                  const std::string& why = "", const std::string& error = "") {
  if (sweep.json) {
    sweep.removed.push_back({{"kind", kind},
                             {"name", name},
                             {"why", base::or_null(why)},
                             {"error", base::or_null(error)}});
    return;
  }
  std::printf("%s %s%s%s%s%s\n", std::string(kind).c_str(), base::printable(name).c_str(),
              why.empty() ? "" : ", ", why.c_str(), error.empty() ? "" : ": ",
              base::printable(error).c_str());
}

// Tells that something stays, although its time is over.
void tell_kept(Sweep& sweep, std::string_view kind, const std::string& name,
               const std::string& why) {
  if (sweep.json) sweep.kept.push_back({{"kind", kind}, {"name", name}, {"why", why}});
  std::fprintf(stderr, "orch: kept %s %s: %s\n", std::string(kind).c_str(),
               base::printable(name).c_str(), base::printable(why).c_str());
}

uintmax_t bytes_in(const std::string& folder) {
  uintmax_t bytes = 0;
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, failure)) {
    if (!entry.is_regular_file(failure)) continue;
    const uintmax_t size = entry.file_size(failure);
    if (!failure) bytes += size;
  }
  return bytes;
}

int64_t ended_ms(const store::RunFolder& run, const std::optional<store::RunRecord>& record) {
  const auto at = store::last_sign_of(run, record.value_or(store::RunRecord()));
  return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
}

int64_t wall_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

// Whether the session failed, and is still kept so that somebody can look at it.
bool is_kept(const store::SessionRecord& session) {
  return !session.ended.empty() && !client::is_over(session, wall_ms());
}

void sweep_sessions(const std::string& state_dir, Sweep& sweep) {
  for (const store::SessionRecord& session : store::list_sessions(state_dir)) {
    if (session.status != store::SessionStatus::kErrored || is_kept(session)) continue;
    if (!session.unreadable.empty()) {
      tell_kept(sweep, "session", session.key, session.unreadable);
      continue;
    }
    if (const size_t living = client::remnants_of(state_dir, session).size(); living > 0) {
      tell_kept(sweep, "session", session.name,
                "its host is gone, but " + std::to_string(living) +
                    " of its processes live; orch kill --now ends them");
      continue;
    }
    // False if the session runs again, or another gc is removing it at this moment.
    if (!sweep.dry_run && !client::remove_dead_session(state_dir, session)) continue;
    ++sweep.sessions;
    tell_removed(sweep, "session", session.name,
                 session.ended.empty() ? "whose host is gone" : "which failed");
  }
}

// Removes the files of sessions that were reserved but never started.
void sweep_unfinished(const std::string& state_dir, Sweep& sweep) {
  if (!sweep.dry_run) store::remove_unfinished_files(state_dir);
  for (const std::string& key : store::unfinished_sessions(state_dir)) {
    if (store::is_held(state_dir, key)) continue;
    const auto no_socket = [](const std::string& /*path*/) {};
    if (!sweep.dry_run && !store::remove_dead_session(state_dir, key, no_socket)) continue;
    ++sweep.sessions;
    tell_removed(sweep, "session", key, "which never started");
  }
}

// The prefix that a folder gets before it is removed. If gc is cut off, the folder is then neither
// a run nor a run that cannot be read; sweep_gone() removes it.
constexpr std::string_view kGone = ".gone-";

// Removes a folder. `what` names its kind for the message; `count` is the counter of that kind.
void remove_folder(const store::RunFolder& folder, const char* what, size_t& count, Sweep& sweep) {
  const uintmax_t bytes = bytes_in(folder.path);
  std::error_code failure;
  if (!sweep.dry_run) {
    const fs::path path(folder.path);
    const fs::path gone = path.parent_path() / (std::string(kGone) + path.filename().string());
    fs::rename(path, gone, failure);
    if (!failure) fs::remove_all(gone, failure);
  }
  if (failure) {
    ++sweep.failed;
    if (sweep.json) tell_removed(sweep, what, folder.id, "", failure.message());
    std::fprintf(stderr, "orch: %s %s was not removed: %s\n", what,
                 base::printable(folder.id).c_str(), failure.message().c_str());
    return;
  }
  ++count;
  sweep.bytes += bytes;
  tell_removed(sweep, what, folder.id);
}

void sweep_gone(const std::string& state_dir, Sweep& sweep) {
  if (sweep.dry_run) return;
  for (const char* folder : {"/runs", "/summaries", "/tasks"}) {
    std::error_code failure;
    for (const fs::directory_entry& entry : fs::directory_iterator(state_dir + folder, failure)) {
      if (!entry.path().filename().string().starts_with(kGone)) continue;
      std::error_code kept;
      fs::remove_all(entry.path(), kept);
      if (!kept) continue;
      ++sweep.failed;
      std::fprintf(stderr, "orch: %s was not removed: %s\n",
                   base::printable(entry.path().string()).c_str(), kept.message().c_str());
    }
  }
}

// Whether the run goes on, or has just begun: such a run may have no record yet, and no session
// file that names it.
bool may_be_starting(const std::string& state_dir, const store::RunFolder& run,
                     const std::optional<store::RunRecord>& record) {
  if (!record) return wall_ms() - ended_ms(run, record) < kStartMs;
  const store::RunStatus now = store::status_now(state_dir, *record);
  return now == store::RunStatus::kStarting || now == store::RunStatus::kRunning;
}

void sweep_summaries(const std::string& state_dir, int64_t max_age_ms, Sweep& sweep) {
  for (const store::RunFolder& summary : store::summary_folders(state_dir)) {
    if (wall_ms() - ended_ms(summary, std::nullopt) < max_age_ms) continue;
    if (!store::is_ours(summary)) continue;
    remove_folder(summary, "summary", sweep.summaries, sweep);
  }
}

// Without a record it is not known whether the run is over and how long it was to be kept.
void tell_kept(Sweep& sweep, const store::RunFolder& run, const store::ReadRecord& read) {
  tell_kept(sweep, "run", run.id, read.why + "; to do without it, remove " + run.path);
}

void sweep_runs(const std::string& state_dir, int64_t max_age_ms, Sweep& sweep) {
  std::set<std::string> living;
  for (const store::SessionRecord& session : store::list_sessions(state_dir)) {
    const bool lives = session.status == store::SessionStatus::kRunning;
    if (lives || is_kept(session)) living.insert(session.run);
  }
  const int64_t now_ms = wall_ms();
  for (const store::RunFolder& run : store::run_folders(state_dir)) {
    if (living.contains(run.id)) continue;
    store::ReadRecord read = store::read_record(run);
    std::optional<store::RunRecord> record;
    if (read.state == store::RecordState::kWhole) record = std::move(read.record);
    const int64_t max_age = record && record->keep_for_ms ? *record->keep_for_ms : max_age_ms;
    if (now_ms - ended_ms(run, record) < max_age) continue;
    if (!record && read.state != store::RecordState::kNotBegun) {
      tell_kept(sweep, run, read);
      continue;
    }
    if (may_be_starting(state_dir, run, record) || !store::is_ours(run)) continue;
    const base::Result<base::Fd> locked = store::lock_run(run);
    if (!locked) {
      tell_kept(sweep, "run", run.id, locked.error().text);
      continue;
    }
    remove_folder(run, "run", sweep.runs, sweep);
    std::error_code failure;
    // Left if an undo was cut off, which cannot be finished any more.
    if (!sweep.dry_run) fs::remove(state_dir + "/undos/" + run.id, failure);
  }
}

// Whether a task's folder may go: it is "<id>.<time>", the old folder of a task that was begun
// again, or that of a task that has ended and cannot be resumed. The task's note is in the
// repository, and stays.
bool is_done_with(const std::string& state_dir, const std::string& name) {
  if (base::is_name(name, task::kMaxTaskName)) {
    const auto status = task_run::status_of_task(state_dir, name);
    return status && !status->is_at_work && !status->can_go_on;
  }
  std::error_code failure;
  return name.find('.') != std::string::npos && !name.starts_with('.') &&
         fs::is_regular_file(state_dir + "/tasks/" + name + "/task.yaml", failure);
}

void sweep_tasks(const std::string& state_dir, int64_t max_age_ms, Sweep& sweep) {
  std::vector<std::string> names;
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(state_dir + "/tasks", failure)) {
    if (entry.is_directory(failure)) names.push_back(entry.path().filename());
  }
  for (const std::string& name : names) {
    const std::string path = state_dir + "/tasks/" + name;
    auto touched = fs::last_write_time(path + "/journal.jsonl", failure);
    if (failure) touched = fs::last_write_time(path, failure);
    if (failure) continue;  // another gc has removed it
    const auto age = fs::file_time_type::clock::now() - touched;
    if (age < std::chrono::milliseconds(max_age_ms) || !is_done_with(state_dir, name)) continue;
    if (sweep.dry_run) {
      remove_folder({path, name, ""}, "task", sweep.tasks, sweep);
      continue;
    }
    // Holds the task's lock, so that nobody begins a task of that name meanwhile.
    const auto held = task_run::TaskFolder::open(state_dir, name);
    if (!held) continue;
    remove_folder({path, name, ""}, "task", sweep.tasks, sweep);
    // Nobody takes the lock of an old folder that was moved away.
    if (name.find('.') != std::string::npos) fs::remove(path + ".lock", failure);
  }
}

void print_json(const Sweep& sweep) {
  const base::Json json{{"dry_run", sweep.dry_run},
                        {"removed", sweep.removed},
                        {"kept", sweep.kept},
                        {"bytes", sweep.bytes}};
  std::fputs(base::json_text(json).c_str(), stdout);
}

int forget(const GcOptions& options) {
  const base::Result<client::Place> place = setup::place_of(options.state_dir);
  if (!place) return report(place.error());
  const base::Result<store::SessionRecord> session =
      client::find_session(*place, options.forget, client::Reach::kHere);
  if (!session) return report_no_session(session.error());
  const bool gone = options.dry_run || client::remove_dead_session(place->state_dir, *session,
                                                                   store::Witness::kPerson);
  if (!gone) return report(base::usage_error("session " + session->name + " is held by its host"));
  Sweep sweep{.dry_run = options.dry_run, .json = options.json};
  tell_removed(sweep, "session", session->name);
  if (options.json) print_json(sweep);
  return 0;
}

// Removes containers without an orch process. Usually a container ends with the orch that holds it;
// not if it was paused, say, or its daemon was not there.
void sweep_containers(Sweep& sweep) {
  for (const auto kind : {sandbox::EngineKind::kDocker, sandbox::EngineKind::kPodman}) {
    const std::optional<sandbox::Engine> engine = sandbox::find_client(kind);
    if (!engine) continue;
    const base::Result<std::vector<sandbox::Orphan>> orphans = sandbox::find_orphans(*engine);
    if (!orphans) {
      std::fprintf(stderr, "orch: containers of %s were not looked for: %s\n",
                   std::string(name(kind)).c_str(), base::printable(orphans.error().text).c_str());
      continue;
    }
    for (const sandbox::Orphan& orphan : *orphans) {
      base::Status removed = base::Ok{};
      if (!sweep.dry_run) removed = sandbox::remove_container(*engine, orphan.name);
      ++(removed ? sweep.containers : sweep.failed);
      tell_removed(sweep, "container", orphan.name, "whose orch is gone",
                   removed ? "" : removed.error().text);
    }
  }
}

// The time `age_ms` ago, in seconds of Unix time.
int64_t cutoff_of(int64_t age_ms) {
  constexpr int64_t kMsPerSecond = 1'000;
  return std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()) -
         age_ms / kMsPerSecond;
}

void sweep_leftovers(const std::string& state_dir, Sweep& sweep) {
  for (const client::Leftover& leftover : client::find_leftovers(state_dir)) {
    base::Status removed = base::Ok{};
    if (!sweep.dry_run) removed = client::remove_leftover(leftover);
    ++(removed ? sweep.leftovers : sweep.failed);
    tell_removed(sweep, client::name(leftover.kind), leftover.path, "whose run is gone",
                 removed ? "" : removed.error().text);
  }
}

int gc(const GcOptions& options) {
  if (!options.forget.empty()) return forget(options);
  base::Result<std::string> state_dir = setup::state_dir_of(options.state_dir);
  if (!state_dir) return report(state_dir.error());
  base::Result<int64_t> max_age =
      options.older_than.empty() ? kDefaultAgeMs : base::parse_age(options.older_than);
  if (!max_age) return report(max_age.error());
  Sweep sweep;
  sweep.dry_run = options.dry_run;
  sweep.json = options.json;
  sweep_gone(*state_dir, sweep);
  sweep_sessions(*state_dir, sweep);
  sweep_unfinished(*state_dir, sweep);
  sweep_leftovers(*state_dir, sweep);  // before the records of their runs are removed
  sweep_runs(*state_dir, *max_age, sweep);
  sweep_summaries(*state_dir, *max_age, sweep);
  sweep_tasks(*state_dir, *max_age, sweep);
  sweep_containers(sweep);
  if (!sweep.dry_run) fence::WorkPlaces(*state_dir).forget_gone(cutoff_of(*max_age));
  if (sweep.json) print_json(sweep);
  std::string others;
  if (sweep.tasks > 0) others = ", " + std::to_string(sweep.tasks) + " tasks";
  if (sweep.containers > 0) others += ", " + std::to_string(sweep.containers) + " containers";
  if (sweep.leftovers > 0) {
    others += ", " + std::to_string(sweep.leftovers) + " other leftovers of killed hosts";
  }
  std::fprintf(stderr, "orch: %s %zu runs (%.1f MB), %zu summaries and %zu dead sessions%s\n",
               options.dry_run ? "would remove" : "removed", sweep.runs,
               static_cast<double>(sweep.bytes) / 1e6, sweep.summaries, sweep.sessions,
               others.c_str());
  return sweep.failed == 0 ? 0 : event::exit_code(event::ExitReason::kInternal);
}

}  // namespace

void add_gc_command(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "gc", "remove old runs and tasks, and what dead hosts left, containers too");
  auto options = std::make_shared<GcOptions>();
  command->add_option(
      "--older-than", options->older_than,
      "runs that ended longer ago than this (default: 30d; 0s: all that ended); one that "
      "was started with --keep goes after that time instead");
  command->add_option("--forget", options->forget,
                      "only remove this session, of another container or machine, whose host you "
                      "know to be gone");
  command->add_flag("-n,--dry-run", options->dry_run, "only say what would be removed");
  command->add_flag("--json", options->json, "what is removed, and what is kept, as JSON");
  command->add_option("--state-dir", options->state_dir, "where runs are kept");
  command->footer(
      "A run whose record cannot be read stays, and is named; a task that --resume takes up stays, "
      "too.\n"
      "Exit code 125: something could not "
      "be removed.\n\n"
      "Examples:\n  orch gc --dry-run\n  orch gc --older-than 7d\n  orch gc --older-than 0s");
  command->callback([options, &chosen] { chosen = [options] { return gc(*options); }; });
}

}  // namespace orch::cli
