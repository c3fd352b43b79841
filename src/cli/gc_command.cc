#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/duration.h"
#include "base/json.h"
#include "base/name.h"
#include "base/text.h"
#include "cli/issue_leftovers.h"
#include "cli/new_command.h"
#include "client/end_session.h"
#include "client/find.h"
#include "client/kept_sessions.h"
#include "client/leftovers.h"
#include "client/remnants.h"
#include "event/exit_reason.h"
#include "fence/work_places.h"
#include "setup/paths.h"
#include "store/abandoned_run.h"
#include "store/runs.h"
#include "store/session_file.h"
#include "store/state_file.h"
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
  bool dry_run = false, json = false, yes = false;
  std::optional<std::string> state_dir;
};

// Counts the removed things and the bytes that this frees; for --json also lists them.
struct Sweep {
  bool dry_run = false, json = false;
  base::Json removed = base::Json::array(), kept = base::Json::array();
  size_t runs = 0, summaries = 0, sessions = 0, containers = 0, tasks = 0, leftovers = 0,
         landings = 0;
  size_t failed = 0;  // how many of all of these could not be removed
  uintmax_t bytes = 0;
};

// Reports that something is removed, or would be in a dry run. `why` follows its name; `error` says
// why the removal failed, or is "".
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

// Reports that something stays, although its time is over.
void tell_kept(Sweep& sweep, std::string_view kind, const std::string& name,
               const std::string& why) {
  if (sweep.json) sweep.kept.push_back({{"kind", kind}, {"name", name}, {"why", why}});
  std::fprintf(stderr, "orch: kept %s %s: %s\n", std::string(kind).c_str(),
               base::printable(name).c_str(), base::printable(why).c_str());
}

uintmax_t bytes_in(const std::string& folder) {
  uintmax_t bytes = 0;
  std::error_code over;
  for (fs::recursive_directory_iterator entry(folder, over), end; !over && entry != end;
       entry.increment(over)) {
    std::error_code unknown;
    if (!entry->is_regular_file(unknown)) continue;
    const uintmax_t size = entry->file_size(unknown);
    if (!unknown) bytes += size;
  }
  return bytes;
}

int64_t ms_of(store::TimePoint at) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
}

// Milliseconds of Unix time; absent if the folder is gone.
store::Found<int64_t> ended_ms(const store::RunFolder& run,
                               const std::optional<store::RunRecord>& record) {
  const auto at = store::last_sign_of(run, record.value_or(store::RunRecord()));
  if (at.is_unknown()) return at.error();
  return at.is_absent() ? store::Found<int64_t>::absent() : store::Found<int64_t>(ms_of(*at));
}

int64_t wall_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

// Whether the session failed, and is still kept so that somebody can look at it.
bool is_kept(const store::SessionRecord& session) {
  return !session.ended.empty() && !client::is_over(session, wall_ms());
}

// Reports a folder that could not be listed. Everything in it is kept.
void tell_unlisted(Sweep& sweep, const base::Error& error) {
  ++sweep.failed;
  std::fprintf(stderr, "orch: kept what is there: %s\n", base::printable(error.text).c_str());
}

void sweep_sessions(const std::string& state_dir, Sweep& sweep) {
  const base::Result<std::vector<store::SessionRecord>> sessions = store::list_sessions(state_dir);
  if (!sessions) return tell_unlisted(sweep, sessions.error());
  for (const store::SessionRecord& session : *sessions) {
    const bool is_dead = session.status == store::SessionStatus::kErrored;
    if (!session.unreadable.empty() &&
        (is_dead || !store::host_of(state_dir, session.key).is_present())) {
      tell_kept(sweep, "session", session.key, session.unreadable);
      continue;
    }
    if (!is_dead || is_kept(session)) continue;
    const base::Result<std::vector<pid_t>> living = client::remnants_of(state_dir, session);
    if (!living) {
      tell_kept(sweep, "session", session.name, living.error().text);
      continue;
    }
    if (!living->empty()) {
      tell_kept(sweep, "session", session.name,
                "its host is gone, but " + std::to_string(living->size()) +
                    " of its processes live; orch kill --now ends them");
      continue;
    }
    const base::Status removed =
        sweep.dry_run ? base::Status(base::Ok{}) : client::remove_dead_session(state_dir, session);
    if (!removed) {
      // kUsage: the session runs again, or another gc is removing it at this moment.
      if (removed.error().code != base::ErrorCode::kUsage) {
        tell_kept(sweep, "session", session.name, removed.error().text);
      }
      continue;
    }
    ++sweep.sessions;
    tell_removed(sweep, "session", session.name,
                 session.ended.empty() ? "whose host is gone" : "which failed");
  }
}

// Removes the files of sessions that were reserved but never started.
void sweep_unfinished(const std::string& state_dir, Sweep& sweep) {
  if (!sweep.dry_run) store::remove_unfinished_files(state_dir);
  const base::Result<store::UnfinishedSessions> unfinished = store::unfinished_sessions(state_dir);
  if (!unfinished) return tell_unlisted(sweep, unfinished.error());
  for (const std::string& why : unfinished->unreadable) tell_kept(sweep, "session", "file", why);
  for (const std::string& key : unfinished->keys) {
    const store::Presence host = store::host_of(state_dir, key);
    if (host.is_unknown()) tell_kept(sweep, "session", key, host.error().text);
    if (!host.is_absent()) continue;
    const auto no_socket = [](const std::string& /*path*/) {};
    const base::Status removed = sweep.dry_run
                                     ? base::Status(base::Ok{})
                                     : store::remove_dead_session(state_dir, key, no_socket);
    if (!removed) {
      if (removed.error().code != base::ErrorCode::kUsage) {
        tell_kept(sweep, "session", key, removed.error().text);
      }
      continue;
    }
    ++sweep.sessions;
    tell_removed(sweep, "session", key, "which never started");
  }
}

// Removes a folder. `what` names its kind for the message; `count` is the counter of that kind.
void remove_folder(const store::RunFolder& folder, const char* what, size_t& count, Sweep& sweep) {
  const uintmax_t bytes = bytes_in(folder.path);
  const base::Status removed =
      sweep.dry_run ? base::Status(base::Ok{}) : store::remove_run_folder(folder);
  if (!removed) {
    ++sweep.failed;
    if (sweep.json) tell_removed(sweep, what, folder.id, "", removed.error().text);
    std::fprintf(stderr, "orch: %s %s was not removed: %s\n", what,
                 base::printable(folder.id).c_str(), base::printable(removed.error().text).c_str());
    return;
  }
  ++count;
  sweep.bytes += bytes;
  tell_removed(sweep, what, folder.id);
}

void sweep_gone(const std::string& state_dir, Sweep& sweep) {
  if (sweep.dry_run) return;
  for (const char* folder : {"/runs", "/summaries", "/tasks"}) {
    const base::Result<std::vector<std::string>> names = store::names_in_folder(state_dir + folder);
    if (!names) continue;  // reported when the folder is swept
    for (const std::string& name : *names) {
      if (!name.starts_with(store::kGone)) continue;
      const fs::path path = fs::path(state_dir + folder) / name;
      std::error_code kept;
      fs::remove_all(path, kept);
      if (!kept) continue;
      ++sweep.failed;
      std::fprintf(stderr, "orch: %s was not removed: %s\n", base::printable(path.string()).c_str(),
                   kept.message().c_str());
    }
  }
}

// Whether the run goes on, or has just begun. A run that has just begun may have no record yet, and
// no session file that names it.
base::Result<bool> may_be_starting(const std::string& state_dir,
                                   const std::optional<store::RunRecord>& record, int64_t age_ms) {
  if (!record) return age_ms < kStartMs;
  const base::Result<store::RunStatus> now = store::status_now(state_dir, *record);
  if (!now) return now.error();
  return *now == store::RunStatus::kStarting || *now == store::RunStatus::kRunning;
}

void sweep_summaries(const std::string& state_dir, int64_t max_age_ms, Sweep& sweep) {
  const base::Result<std::vector<store::RunFolder>> summaries = store::summary_folders(state_dir);
  if (!summaries) return tell_unlisted(sweep, summaries.error());
  for (const store::RunFolder& summary : *summaries) {
    const store::Found<int64_t> ended = ended_ms(summary, std::nullopt);
    if (ended.is_unknown()) tell_kept(sweep, "summary", summary.id, ended.error().text);
    if (!ended.is_present() || wall_ms() - *ended < max_age_ms) continue;
    const store::Presence ours = store::sign_of_orch(summary);
    if (ours.is_unknown()) tell_kept(sweep, "summary", summary.id, ours.error().text);
    if (ours.is_present()) remove_folder(summary, "summary", sweep.summaries, sweep);
  }
}

// The sessions whose runs stay: they run, may run, or are kept.
struct Living {
  std::set<std::string> runs;
  // Why a session could not be read, by its run, or by its issue if its run is not known.
  std::map<std::string, std::string> unknown;
};

base::Result<Living> living_runs(const std::string& state_dir) {
  const base::Result<std::vector<store::SessionRecord>> sessions = store::list_sessions(state_dir);
  if (!sessions) return sessions.error();
  Living living;
  for (const store::SessionRecord& session : *sessions) {
    const bool lives = session.status == store::SessionStatus::kRunning;
    if (!lives && !is_kept(session)) continue;
    if (session.unreadable.empty()) {
      living.runs.insert(session.run);
    } else {
      living.unknown[session.run.empty() ? session.issue : session.run] = session.unreadable;
    }
  }
  return living;
}

// Why a run stays although its time is over; "" if it may go, no value if it stays without a word.
std::optional<std::string> why_run_stays(const std::string& state_dir, const store::RunFolder& run,
                                         const store::ReadRecord& read, int64_t age_ms) {
  std::optional<store::RunRecord> record;
  if (read.state == store::RecordState::kWhole) record = read.record;
  if (!record && read.state != store::RecordState::kNotBegun) {
    return read.why + "; to do without it, remove " + run.path;
  }
  const base::Result<bool> starting = may_be_starting(state_dir, record, age_ms);
  if (!starting) return starting.error().text;
  if (*starting && record && store::may_be_elsewhere(state_dir, *record)) {
    return "its host is on another machine or in another container, and may live; if you know it "
           "to be gone: orch gc --forget " +
           run.id;
  }
  if (*starting) return std::nullopt;
  const store::Presence ours = store::sign_of_orch(run);
  if (ours.is_unknown()) return ours.error().text;
  if (ours.is_absent()) return std::nullopt;
  return "";
}

void sweep_run(const std::string& state_dir, const store::RunFolder& run, int64_t max_age_ms,
               Sweep& sweep) {
  const store::ReadRecord read = store::read_record(run);
  std::optional<store::RunRecord> record;
  if (read.state == store::RecordState::kWhole) record = read.record;
  const store::Found<int64_t> ended = ended_ms(run, record);
  if (ended.is_unknown()) return tell_kept(sweep, "run", run.id, ended.error().text);
  if (ended.is_absent()) return;  // another gc has removed it
  const int64_t age_ms = wall_ms() - *ended;
  if (age_ms < (record ? record->keep_for_ms.value_or(max_age_ms) : max_age_ms)) return;
  const std::optional<std::string> why = why_run_stays(state_dir, run, read, age_ms);
  if (!why) return;
  if (!why->empty()) return tell_kept(sweep, "run", run.id, *why);
  const base::Result<base::Fd> locked = store::lock_run(run);
  if (!locked) return tell_kept(sweep, "run", run.id, locked.error().text);
  remove_folder(run, "run", sweep.runs, sweep);
  std::error_code failure;
  // Left behind by an undo that was cut off; it cannot be finished any more.
  if (!sweep.dry_run) fs::remove(state_dir + "/undos/" + run.id, failure);
}

const std::string* why_unknown(const Living& living, const store::RunFolder& run) {
  for (const std::string& name : {run.id, run.issue}) {
    if (const auto it = living.unknown.find(name); it != living.unknown.end()) return &it->second;
  }
  return nullptr;
}

void sweep_runs(const std::string& state_dir, int64_t max_age_ms, Sweep& sweep) {
  const base::Result<Living> living = living_runs(state_dir);
  if (!living) return tell_unlisted(sweep, living.error());
  const base::Result<std::vector<store::RunFolder>> runs = store::run_folders(state_dir);
  if (!runs) return tell_unlisted(sweep, runs.error());
  for (const store::RunFolder& run : *runs) {
    if (living->runs.contains(run.id)) continue;
    if (const std::string* why = why_unknown(*living, run)) {
      tell_kept(sweep, "run", run.id, "a session that may be its own cannot be read: " + *why);
      continue;
    }
    sweep_run(state_dir, run, max_age_ms, sweep);
  }
}

// Whether a task's folder may go: it is "<id>.<time>", the old folder of a task that was begun
// again, or belongs to a task that has ended and cannot be resumed. The task's note is in the
// repository, and stays.
store::Presence mark_of_done(const std::string& state_dir, const std::string& name) {
  if (base::is_name(name, task::kMaxTaskName)) {
    const auto status = task_run::status_of_task(state_dir, name);
    if (!status && store::is_refused(status.error())) return status.error();
    const bool is_done = status && !status->is_at_work && !status->can_go_on;
    return is_done ? store::Presence(base::Ok{}) : store::Presence::absent();
  }
  const bool is_old = name.find('.') != std::string::npos && !name.starts_with('.');
  return is_old ? store::presence_of(state_dir + "/tasks/" + name + "/task.yaml")
                : store::Presence::absent();
}

// When a task's journal, or the folder of a task without one, was changed last.
store::Found<store::TimePoint> last_sign_of_task(const std::string& path) {
  store::Found<store::TimePoint> touched = store::time_of_change(path + "/journal.jsonl");
  return touched.is_absent() ? store::time_of_change(path) : std::move(touched);
}

void sweep_task(const std::string& state_dir, const std::string& name, int64_t max_age_ms,
                Sweep& sweep) {
  const std::string path = state_dir + "/tasks/" + name;
  const store::Found<store::TimePoint> touched = last_sign_of_task(path);
  if (touched.is_unknown()) return tell_kept(sweep, "task", name, touched.error().text);
  // Absent: another gc has removed it.
  if (touched.is_absent() || wall_ms() - ms_of(*touched) < max_age_ms) return;
  const store::Presence done = mark_of_done(state_dir, name);
  if (done.is_unknown()) return tell_kept(sweep, "task", name, done.error().text);
  if (done.is_absent()) return;
  if (sweep.dry_run) return remove_folder({path, name, ""}, "task", sweep.tasks, sweep);
  // Holds the task's lock during the removal, so that nobody begins a task of that name.
  const auto held = task_run::TaskFolder::open(state_dir, name);
  if (!held) return tell_kept(sweep, "task", name, held.error().text);
  remove_folder({path, name, ""}, "task", sweep.tasks, sweep);
  std::error_code failure;
  // Nobody takes the lock of an old folder that was moved away.
  if (name.find('.') != std::string::npos) fs::remove(path + ".lock", failure);
}

void sweep_tasks(const std::string& state_dir, int64_t max_age_ms, Sweep& sweep) {
  const std::string folder = state_dir + "/tasks";
  const base::Result<std::vector<std::string>> names = store::names_in_folder(folder);
  if (!names) return tell_unlisted(sweep, names.error());
  for (const std::string& name : *names) {
    std::error_code unknown;  // then sweep_task() reports it
    const bool is_file = fs::is_regular_file(folder + "/" + name, unknown);
    if (!is_file) sweep_task(state_dir, name, max_age_ms, sweep);
  }
}

void print_json(const Sweep& sweep) {
  const base::Json json{{"dry_run", sweep.dry_run},
                        {"removed", sweep.removed},
                        {"kept", sweep.kept},
                        {"bytes", sweep.bytes}};
  std::fputs(base::json_text(json).c_str(), stdout);
}

int tell_forgotten(const GcOptions& options, std::string_view kind, const std::string& name) {
  Sweep sweep{.dry_run = options.dry_run, .json = options.json};
  tell_removed(sweep, kind, name);
  if (options.json) print_json(sweep);
  return 0;
}

// Forgets the host of a run that has no session any more, so that the run is over.
int forget_host_of_run(const GcOptions& options, const std::string& state_dir,
                       const store::RunFolder& run) {
  const store::Found<store::RunRecord> record = store::record_of(run);
  if (record.is_unknown()) return report(record.error());
  const base::Result<bool> goes_on =
      may_be_starting(state_dir, std::move(store::record_of(run)).if_present(), 0);
  if (!goes_on) return report(goes_on.error());
  if (record.is_absent() || !*goes_on || !store::may_be_elsewhere(state_dir, *record)) {
    return report_no_session(
        {base::ErrorCode::kNotFound, "run " + run.id + " has no host of another machine"});
  }
  if (!options.dry_run) {
    const base::Status closed =
        store::close_abandoned_run(run.path, std::chrono::system_clock::now());
    if (!closed) return report(closed.error());
  }
  return tell_forgotten(options, "host of run", run.id);
}

int forget(const GcOptions& options) {
  const base::Result<client::Place> place = setup::place_of(options.state_dir);
  if (!place) return report(place.error());
  const base::Result<store::SessionRecord> session =
      client::find_session(*place, options.forget, client::Reach::kHere);
  if (!session && session.error().code == base::ErrorCode::kNotFound) {
    const base::Result<client::Found> found =
        client::find_run(*place, options.forget, client::Reach::kHere);
    if (!found && found.error().code != base::ErrorCode::kNotFound) return report(found.error());
    if (found && !found->session) return forget_host_of_run(options, place->state_dir, found->run);
  }
  if (!session) return report_no_session(session.error());
  const base::Status gone =
      options.dry_run
          ? base::Status(base::Ok{})
          : client::remove_dead_session(place->state_dir, *session, store::Witness::kPerson);
  if (!gone) return report(gone.error());
  return tell_forgotten(options, "session", session->name);
}

// The time `age_ms` ago, in seconds of Unix time.
int64_t cutoff_of(int64_t age_ms) {
  constexpr int64_t kMsPerSecond = 1'000;
  return std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()) -
         age_ms / kMsPerSecond;
}

void sweep_found(const std::vector<client::Leftover>& found, const std::string& why, size_t& count,
                 Sweep& sweep) {
  for (const client::Leftover& leftover : found) {
    const base::Status removed = sweep.dry_run ? base::Status(base::Ok{}) : leftover.remove();
    ++(removed ? count : sweep.failed);
    tell_removed(sweep, leftover.kind, leftover.path, why, removed ? "" : removed.error().text);
  }
}

void sweep_leftovers(const std::string& state_dir, Sweep& sweep) {
  const client::Leftovers leftovers = client::find_leftovers(state_dir);
  for (const client::MaybeLeftover& group : leftovers.unknown) {
    tell_kept(sweep, "control group", group.path, group.why);
  }
  sweep_found(leftovers.found, "whose run is gone", sweep.leftovers, sweep);
}

void sweep_containers(Sweep& sweep) {
  const client::Leftovers leftovers = client::find_containers();
  for (const client::MaybeLeftover& engine : leftovers.unknown) {
    std::fprintf(stderr, "orch: containers of %s were not looked for: %s\n", engine.path.c_str(),
                 base::printable(engine.why).c_str());
  }
  sweep_found(leftovers.found, "whose orch is gone", sweep.containers, sweep);
}

void sweep_landings(const std::string& state_dir, int64_t max_age_ms, Sweep& sweep) {
  for (const IssueLeftover& left : sweep_issues(state_dir, max_age_ms, sweep.dry_run)) {
    ++(left.error.empty() ? sweep.landings : sweep.failed);
    tell_removed(sweep, left.kind, left.name, left.why, left.error);
  }
}

// Runs younger than this may still be of use, so a user at a terminal is asked.
constexpr int64_t kAskedAgeMs = 24LL * 60 * 60 * 1000;

bool is_confirmed(const GcOptions& options) {
  if (options.yes || options.dry_run || options.json) return true;
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) return true;
  std::fprintf(stderr, "Remove every run of every repository that ended more than %s ago? [y/N] ",
               options.older_than.c_str());
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

int gc(const GcOptions& options) {
  if (!options.forget.empty()) return forget(options);
  base::Result<std::string> state_dir = setup::state_dir_of(options.state_dir);
  if (!state_dir) return report(state_dir.error());
  base::Result<int64_t> max_age =
      options.older_than.empty() ? kDefaultAgeMs : base::parse_age(options.older_than);
  if (!max_age) return report(max_age.error());
  if (*max_age < kAskedAgeMs && !is_confirmed(options)) {
    return report(base::usage_error("nothing was removed"));
  }
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
  sweep_landings(*state_dir, *max_age, sweep);
  sweep_containers(sweep);
  if (!sweep.dry_run) fence::WorkPlaces(*state_dir).forget_gone(cutoff_of(*max_age));
  if (sweep.json) print_json(sweep);
  std::string others;
  if (sweep.tasks > 0) others = ", " + std::to_string(sweep.tasks) + " tasks";
  if (sweep.containers > 0) others += ", " + std::to_string(sweep.containers) + " containers";
  if (sweep.landings > 0) {
    others += ", " + std::to_string(sweep.landings) + " records and branches of landed issues";
  }
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
  CommandWith<GcOptions> command(
      app, chosen, "gc", "remove old runs and tasks, and leftovers of dead hosts and containers",
      gc);
  command.option(
      "--older-than", command->older_than,
      "runs that ended longer ago than this (default: 30d; 0s: all that ended); one that "
      "was started with --keep goes after that time instead");
  command.option("--forget", command->forget,
                 "only remove this session, of another container or machine, whose host you "
                 "know to be gone; or, by its id, record the end of a run of such a host");
  command.flag("-y,--yes", command->yes, "do not ask, as a script is not asked");
  command.flag("-n,--dry-run", command->dry_run, "only say what would be removed");
  command.flag("--json", command->json, "what is removed, and what is kept, as JSON");
  command.state_dir();
  command.footer(
      "A run whose record cannot be read stays, and is named; a task that --resume takes up stays, "
      "too.\n"
      "Exit code 125: something could not "
      "be removed.\n\n"
      "Examples:\n  orch gc --dry-run\n  orch gc --older-than 7d\n  orch gc --older-than 0s");
}

}  // namespace orch::cli
