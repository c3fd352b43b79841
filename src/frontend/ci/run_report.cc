#include "ci/run_report.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>
#include <vector>

#include "client/find.h"
#include "client/run_diff.h"
#include "client/runs.h"
#include "mask/text.h"
#include "report/hidden_rows.h"
#include "session/masked_words.h"
#include "session/replay.h"
#include "setup/coming_secrets.h"
#include "setup/paths.h"
#include "setup/recordings.h"
#include "store/file_io.h"
#include "store/input.h"
#include "store/runs.h"
#include "store/state_file.h"
#include "ui/elapsed.h"

namespace orch::ci {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxEventsBytes = size_t{1} << 28;
constexpr int64_t kMostChangedLines = 20'000;  // the page shows some thousands

// The file's content; "" if it is missing, or has too much to be shown.
base::Result<std::string> content_of(const std::string& path, size_t max_bytes) {
  store::Found<std::string> text = store::read_state(path, max_bytes);
  if (text.is_unknown() && store::is_refused(text.error())) return text.error();
  return text.is_present() ? std::move(text).value() : std::string();
}

base::Result<std::string> newest_run_here(const std::optional<std::string>& state_dir) {
  const base::Result<client::Place> place = setup::place_of(state_dir);
  if (!place) return place.error();
  const auto any = [](const store::RunFolder& /*run*/) { return base::Ok{}; };
  const base::Result<store::RunFolder> run = client::newest_run_here(*place, any);
  if (run) return run->path;
  if (run.error().code != base::ErrorCode::kNotFound) return run.error();
  return base::usage_error(run.error().text + "; name a run, an issue or a recording");
}

// The folder of a run, or "" and a recording without a run.
struct Source {
  std::string folder;
  std::string recording;
};

bool is_run(const fs::path& folder) {
  std::error_code failure;
  return fs::is_regular_file(folder / "run.json", failure);
}

base::Result<Source> source_of(const ReportedRun& reported) {
  const base::Result<std::string> path =
      reported.name.empty()   ? newest_run_here(reported.state_dir)
      : is_run(reported.name) ? reported.name
                              : setup::recording_path(reported.name, reported.state_dir);
  if (!path) return path.error();
  if (is_run(*path)) return Source{*path, *path + "/output.cast"};
  const fs::path recording(*path);
  if (recording.filename() == "output.cast" && is_run(recording.parent_path())) {
    return Source{recording.parent_path().string(), *path};
  }
  return Source{"", *path};
}

void take_record(const store::RunRecord& record, report::Report& report) {
  report.name = record.session;
  report.run = record.id;
  report.agent = record.agent;
  if (!record.agent_version.empty()) report.agent += " " + record.agent_version;
  report.started = ui::local_time_text(record.started);
  report.folder = record.cwd;
  report.ending = "no verdict yet";
}

base::Status take_folder(const store::RunFolder& run, report::Report& report) {
  const store::ReadRecord read = store::read_record(run);
  take_record(read.record, report);
  if (read.state != store::RecordState::kWhole) {
    report.run = run.id;
    report.ending = read.why;
  }
  const store::Found<store::RunResult> result = store::result_of(run);
  if (result.is_unknown()) report.ending = result.error().text;
  if (result.is_present()) {
    report.verdict = {result->reason, result->code, result->detail};
    report.end_ms = result->duration_ms;
  }
  base::Result<std::string> task = content_of(run.path + "/prompt.md", setup::kMaxTextBytes);
  if (!task) return task.error();
  report.task = std::move(task).value();
  const base::Result<std::string> events = content_of(run.path + "/events.jsonl", kMaxEventsBytes);
  if (!events) return events.error();
  report::Records records = report::read_records(*events);
  report.events = std::move(records.events);
  report.others = std::move(records.others);
  if (!report.events.empty()) report.end_ms = std::max(report.end_ms, report.events.back().ms);
  return base::Ok{};
}

// Reads a marker "status=waiting/permission", which orch recorded, or "state=...", which the user
// wrote.
std::optional<event::StatusChange> status_of_marker(const std::string& text) {
  if (!text.starts_with("status=") && !text.starts_with("state=")) return std::nullopt;
  const std::string word = text.substr(text.find('=') + 1);
  const size_t slash = std::min(word.find('/'), word.size());
  const auto status = event::status_named(word.substr(0, slash));
  const auto cause = event::cause_named(word.substr(std::min(slash + 1, word.size())));
  if (!status || !cause) return std::nullopt;
  event::StatusChange change;
  change.status = *status;
  change.cause = *cause;
  return change;
}

std::string verdict_of(const store::RunFolder& run, const store::RunRecord& record) {
  const store::Found<store::RunResult> result = store::result_of(run);
  return std::string(result.is_present() ? event::name(result->reason)
                                         : store::name(record.status));
}

// The runs of the run's issue, if the report is about the issue, and the changes of them all.
void take_issue(const store::RunFolder& folder, bool is_of_issue, report::Report& report) {
  const std::string state_dir = fs::path(folder.path).parent_path().parent_path().string();
  const client::RunView view = client::view_any_run(state_dir, folder);
  if (!view.unreadable.empty()) return;
  std::vector<client::RunView> runs{view};
  if (is_of_issue) {
    if (auto all = client::runs_of_issue(state_dir, view)) runs = std::move(all).value();
  }
  for (const client::RunView& run : runs) {
    if (runs.size() == 1) break;
    const store::Found<store::RunResult> result = store::result_of(run.folder);
    report.issue_runs.push_back({.run = run.record.id,
                                 .agent = run.record.agent,
                                 .verdict = verdict_of(run.folder, run.record),
                                 .started = ui::local_time_text(run.record.started),
                                 .ms = result.is_present() ? result->duration_ms : 0});
  }
  const base::Result<client::RunDiff> diff = client::diff_of_issue(state_dir, runs);
  if (!diff) {
    report.patch_note = diff.error().text;
    return;
  }
  const base::Result<repo::DiffCount> count = diff->diff.count();
  if (!count || count->added + count->removed > kMostChangedLines) {
    report.patch_note =
        count ? "too many changed lines for this page; orch diff has them" : count.error().text;
    return;
  }
  base::Result<std::string> patch = diff->diff.patch();
  if (!patch) report.patch_note = patch.error().text;
  for (const std::string& note : diff->diff.notes()) report.patch_note += note + "\n";
  if (patch) report.patch = std::move(patch).value();
}

void take_markers(store::CastReader& cast, report::Report& report) {
  for (const store::CastEvent* event = cast.next(); event != nullptr; event = cast.next()) {
    if (event->kind != store::CastKind::kMarker) continue;
    if (const auto change = status_of_marker(event->data)) {
      report.events.push_back({event->us / 1000, *change});
    }
  }
}

base::Status take_replay(const ReportedRun& reported, setup::LoadedRecording& loaded,
                         report::Report& report) {
  const store::CastHeader& header = loaded.cast->header();
  report.agent = reported.agent.empty() ? header.agent : reported.agent;
  if (report.agent.empty()) {
    take_markers(*loaded.cast, report);
    return loaded.cast->trouble();
  }
  if (base::Status s = setup::know_agent(reported.agent, loaded); !s) return s;
  if (!header.agent_version.empty()) report.agent += " " + header.agent_version;
  session::Replay replay(*loaded.cast, *loaded.manifest, *loaded.rules);
  for (session::ReplayedEvent& replayed : replay.run()) {
    report.events.push_back({replayed.ms, std::move(replayed.event)});
  }
  return loaded.cast->trouble();
}

void take_remark(const store::CastEvent& event, report::Report& report) {
  constexpr std::string_view kNotice = "notice=";
  if (event.kind == store::CastKind::kMarker && event.data.starts_with(kNotice)) {
    report.remarks.push_back({event.us / 1000, event.data.substr(kNotice.size())});
  }
}

// The times that the report must have a screen for: each change of status, and each dialog.
std::vector<int64_t> needed_moments(const report::Report& report) {
  std::vector<int64_t> moments;
  for (const event::Record& record : report.events) {
    if (std::holds_alternative<event::StatusChange>(record.event) ||
        std::holds_alternative<event::Dialog>(record.event)) {
      moments.push_back(record.ms);
    }
  }
  return moments;
}

base::Status take_screens(store::CastReader& cast, const setup::ComingSecrets& coming,
                          const std::shared_ptr<const mask::Secrets>& secrets,
                          report::Report& report) {
  report.film = report::Film(secrets);
  const std::vector<int64_t> needed = needed_moments(report);
  auto next_needed = needed.begin();
  term::Screen screen({cast.header().cols, cast.header().rows});
  const auto look = [&](int64_t ms, int64_t until_ms) {
    auto why = report::Film::Why::kChanged;
    for (; next_needed != needed.end() && *next_needed < until_ms; ++next_needed) {
      why = report::Film::Why::kNeeded;
    }
    report.film.look(ms, until_ms, screen, why, coming.parts_on(ms, screen));
  };
  int64_t ms = 0;
  bool has_exited = false;
  const int64_t opening = report::work_end(report);
  for (const store::CastEvent* event = cast.next(); event != nullptr; event = cast.next()) {
    take_remark(*event, report);
    has_exited = has_exited || event->kind == store::CastKind::kExit;
    if (has_exited) continue;
    if (event->us / 1000 > opening && report.last_screen.empty()) {
      if (report.last_screen.empty()) report.last_screen = report::masked_svg(screen, secrets);
    }
    if (event->us / 1000 > ms) {
      look(ms, event->us / 1000);
      ms = event->us / 1000;
    }
    setup::play(*event, screen);
  }
  look(ms, base::kNever);
  report.last_screen = report::masked_svg(screen, secrets);
  report.end_ms = std::max(report.end_ms, (cast.end_us() + 999) / 1000);
  return cast.trouble();
}

// Masks secrets in all the words of the page, even if an older orch, another tool or the agent
// wrote them.
void mask_words(const std::shared_ptr<const mask::Secrets>& secrets, report::Report& report) {
  const auto hide = [&](std::string& text) { text = mask::masked(secrets, text); };
  for (std::string* text : {&report.name, &report.folder, &report.task, &report.ending,
                            &report.patch, &report.patch_note}) {
    hide(*text);
  }
  if (report.verdict) hide(report.verdict->detail);
  for (report::Remark& remark : report.remarks) hide(remark.text);
  for (report::OtherRecord& other : report.others) {
    for (auto& [name, value] : other.members) hide(value);
  }
  session::MaskedEvents masked(secrets);
  std::vector<event::Record> events;
  const auto take = [&events](std::vector<event::Record> known) {
    std::ranges::move(known, std::back_inserter(events));
  };
  for (event::Record& record : report.events) take(masked.pass(std::move(record)));
  take(masked.rest());
  report.events = std::move(events);
}

// Opens one recording several times; the bytes of a pipe are kept for that.
class Opener {
 public:
  explicit Opener(std::string path) : path_(std::move(path)) {}
  base::Result<store::CastReader> open() {
    std::error_code failure;
    const fs::file_status file = fs::status(path_, failure);
    if (!fs::exists(file) || fs::is_regular_file(file)) return setup::open_recording(path_);
    if (fs::path(path_).filename() == "output.cast") return setup::open_recording(path_);
    if (!bytes_) {
      const base::Result<base::Fd> pipe = store::open_input(path_);
      if (!pipe) return base::usage_error(pipe.error().text);
      base::Result<std::string> read = store::read_open_file(*pipe, path_, store::kMaxCastBytes);
      if (!read) return base::usage_error(read.error().text);
      bytes_ = std::move(read).value();
    }
    return store::CastReader::of_bytes(*bytes_, path_);
  }

 private:
  std::string path_;
  std::optional<std::string> bytes_;
};

base::Result<GatheredReport> gather(const ReportedRun& reported,
                                    const std::shared_ptr<const mask::Secrets>& secrets) {
  const base::Result<Source> source = source_of(reported);
  if (!source) return source.error();
  GatheredReport gathered;
  report::Report& report = gathered.report;
  const bool is_of_run = !source->folder.empty();
  const fs::path recording(source->recording);
  std::error_code failure;
  if (is_of_run) {
    const std::string id = fs::canonical(source->folder, failure).filename().string();
    if (base::Status s = take_folder({source->folder, id, ""}, report); !s) return s.error();
    const bool is_of_issue = reported.name != id && !is_run(reported.name);
    take_issue({source->folder, id, ""}, is_of_issue, report);
    gathered.folder = source->folder;
    gathered.stem = id;
    if (store::is_absent(recording)) return gathered;  // --no-record
  }
  Opener opener(source->recording);
  if (!is_of_run) {
    report.name = gathered.stem = recording.stem().string();
    report.ending = "recording";
    setup::LoadedRecording loaded;
    base::Result<store::CastReader> cast = opener.open();
    if (!cast) return cast.error();
    loaded.cast.emplace(std::move(cast).value());
    if (base::Status s = take_replay(reported, loaded, report); !s) return s.error();
  }
  if (!report.events.empty()) report.end_ms = std::max(report.end_ms, report.events.back().ms);
  base::Result<store::CastReader> before = opener.open();
  if (!before) return before.error();
  const setup::ComingSecrets coming = setup::coming_secrets(*before, 0, base::kNever, secrets);
  base::Result<store::CastReader> cast = opener.open();
  if (!cast) return cast.error();
  const base::Status whole = take_screens(*cast, coming, secrets, report);
  if (!whole) return whole.error();
  return gathered;
}

}  // namespace

base::Result<GatheredReport> gather_report(const ReportedRun& reported) {
  const auto secrets =
      reported.secrets ? reported.secrets : std::make_shared<const mask::Secrets>();
  base::Result<GatheredReport> gathered = gather(reported, secrets);
  if (gathered) mask_words(secrets, gathered->report);
  return gathered;
}

}  // namespace orch::ci
