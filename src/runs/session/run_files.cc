#include "session/run_files.h"

#include <chrono>

#include "base/text.h"
#include "mask/text.h"
#include "pty/process_identity.h"
#include "repo/git_head.h"
#include "store/atomic_file.h"
#include "store/folder_chain.h"
#include "store/issue_name.h"

namespace orch::session {

using base::Result;
using base::Status;
using store::RunStatus;

namespace {

store::RunRecord record_of(const store::RunDir& dir, const SessionSetup& setup,
                           store::TimePoint started) {
  store::RunRecord record;
  record.id = dir.id();
  record.issue = setup.issue;
  record.session = store::session_name(setup.issue);
  record.agent = setup.manifest->name;
  record.agent_version = setup.agent_version;
  record.agent_session = setup.launch.session;
  record.cwd = setup.cwd;
  record.repository = setup.repository;
  record.folders = store::folder_chain(setup.cwd);
  record.manager = setup.manager.name;
  record.manager_reason = setup.manager.reason;
  record.parent = setup.parent;
  record.git_before = repo::git_head(setup.cwd);
  record.base = setup.base;
  record.host = pty::identity_text(pty::own_identity());
  record.started = store::rfc3339_utc(started);
  record.keep_for_ms = setup.record.keep_for_ms;
  record.request = setup.request;
  if (record.request) {
    const auto mask_in = [&](std::string& text) {
      const std::vector<mask::Span> spans = mask::find(setup.secrets, text);
      if (spans.empty()) return;
      text = mask::starred(text, spans);
      record.request->masked = true;
    };
    if (record.request->prompt) mask_in(*record.request->prompt);
    for (std::string& word : record.request->command) mask_in(word);
    for (std::string& word : record.request->agent_flags) mask_in(word);
    for (std::string& command : record.request->verify) mask_in(command);
  }
  return record;
}

store::CastHeader header_of(const SessionSetup& setup, store::TimePoint started) {
  store::CastHeader header;
  header.cols = setup.size.cols;
  header.rows = setup.size.rows;
  header.timestamp = std::chrono::system_clock::to_time_t(started);
  header.title = store::session_name(setup.issue);
  header.agent = setup.manifest->name;
  header.agent_version = setup.agent_version;
  header.resumed = setup.mode == Mode::kInteractive && !setup.launch.resume.empty();
  const auto term = setup.launch.env.find("TERM");
  header.env = {{"TERM", term == setup.launch.env.end() ? "xterm-256color" : term->second}};
  return header;
}

// A manifest of the user's may have changed by the time that the run is replayed.
Status write_manifest(const store::RunDir& dir, const SessionSetup& setup) {
  const std::string& text = setup.manifest->text;
  if (text.empty() || !setup.record.keep) return base::Ok{};
  return store::write_file_unsynced(dir.manifest_file(), mask::masked(setup.secrets, text));
}

// The growth of run.json and result.json at the end: the verdict with its evidence.
constexpr size_t kVerdictRoom = 8 * 1024;

// Reserves the room on the disk in advance, so that a run can record its end even if it has filled
// the disk.
Status keep_rooms(const store::RunDir& dir, size_t record_bytes) {
  if (Status s = store::keep_room(dir.result_file(), kVerdictRoom); !s) return s;
  Status kept = store::keep_room(dir.record_file(), record_bytes + kVerdictRoom);
  if (!kept) store::give_up_room(dir.result_file());
  return kept;
}

// The result of a run whose own result could not be written. It is short enough for the room that
// was kept for it.
std::vector<DiskJob::Written> failed_end(store::RunResult result, store::RunRecord record,
                                         const base::Error& why, const std::string& result_file,
                                         const std::string& record_file) {
  result.reason = event::ExitReason::kInternal;
  result.code = event::exit_code(result.reason);
  result.detail = why.text;
  result.gates.clear();
  result.changes.reset();
  result.evidence.clear();
  result.snapshot_note.clear();
  if (result.sandbox) result.sandbox->changed.clear();
  store::conclude(record, result);
  return {{.path = result_file, .content = store::to_json(result), .has_room = true},
          {.path = record_file, .content = store::to_json(record), .has_room = true}};
}

}  // namespace

Result<RunFiles> RunFiles::open(store::RunDir dir, const SessionSetup& setup,
                                store::TimePoint started) {
  if (Status s = store::write_file_unsynced(dir.prompt_file(),
                                            mask::masked(setup.secrets, setup.plan.prompt));
      !s) {
    return s.error();
  }
  if (Status s = write_manifest(dir, setup); !s) return s.error();
  Result<store::EventLog> events = store::EventLog::open(dir.events_file());
  if (!events) return events.error();
  RunFiles files(std::move(dir), setup, started, std::move(events).value());
  const DiskJob::Written record = files.record();
  if (record.content.size() + kVerdictRoom > store::kMaxRecordBytes) {
    return base::usage_error("the prompt and the command take " +
                             std::to_string(record.content.size()) +
                             " bytes in run.json, which has room for 4 MB: shorten them");
  }
  if (Status s = keep_rooms(files.dir_, record.content.size()); !s) return s.error();
  Status written = store::write_file_unsynced(record.path, record.content);
  if (written) written = files.open_words();
  if (written) return files;
  store::give_up_room(files.dir_.result_file());
  store::give_up_room(files.dir_.record_file());
  return written.error();
}

RunFiles::RunFiles(store::RunDir dir, const SessionSetup& setup, store::TimePoint started,
                   store::EventLog events)
    : dir_(std::move(dir)),
      setup_(&setup),
      started_(started),
      events_(std::move(events)),
      record_(record_of(dir_, setup, started)) {}

Status RunFiles::open_words() {
  if (!setup_->record.keep) {
    recording_.emplace(store::Recording::none(), term::Size{1, 1}, setup_->secrets);
    return base::Ok{};
  }
  Result<store::EventLog> transcript = store::EventLog::open(dir_.transcript_file());
  if (!transcript) return transcript.error();
  transcript_ = std::move(transcript).value();
  Result<std::unique_ptr<store::Recording>> recording = store::Recording::create(
      dir_.recording_file(), header_of(*setup_, started_), setup_->record.limit_bytes);
  if (!recording) return recording.error();
  recording_.emplace(std::move(recording).value(), setup_->size, setup_->secrets);
  return base::Ok{};
}

event::SessionStart RunFiles::head() const { return store::head_of(record_); }

DiskJob::Order RunFiles::running() {
  record_.status = RunStatus::kRunning;
  DiskJob::Order order;
  order.write.push_back(record());
  return order;
}

bool RunFiles::take_agent_session(const std::string& id, const std::string& version) {
  const bool news =
      record_.agent_session != id || (!version.empty() && record_.agent_version != version);
  record_.agent_session = id;
  if (!version.empty()) record_.agent_version = version;
  return news;
}

bool RunFiles::take_agent_version(const std::string& version) {
  if (version.empty() || !record_.agent_version.empty()) return false;
  record_.agent_version = version;
  return true;
}

Status RunFiles::words(const event::Output& line, std::string_view json) {
  if (!transcript_) return base::Ok{};
  const auto limit = static_cast<uint64_t>(setup_->record.limit_bytes);
  if (events_.size() < limit) {
    if (Status s = events_.add(json); !s) return s;
  }
  if (transcript_->size() >= limit) return base::Ok{};
  const std::optional<std::string> text = event::to_text(line);
  return text ? transcript_->add(*text) : base::Ok{};
}

Status RunFiles::flush_words() {
  if (Status s = events_.flush(); !s) return s;
  return transcript_ ? transcript_->flush() : base::Ok{};
}

void RunFiles::note_head() { record_.git_after = repo::git_head(setup_->cwd); }

DiskJob::Order RunFiles::ended(const store::RunResult& result, const std::string& screen) {
  if (record_.git_after.empty()) note_head();
  store::conclude(record_, result);
  DiskJob::Order order;
  order.close.push_back({recording_->take_file(), recording_->path()});
  order.close.push_back({events_.take_file(), events_.path()});
  if (transcript_) order.close.push_back({transcript_->take_file(), transcript_->path()});
  std::erase_if(order.close, [](const DiskJob::Closed& open) { return !open.file.valid(); });
  const bool failed = record_.status == RunStatus::kFailed;
  if (failed && setup_->record.keep && !base::trim(screen).empty()) {
    order.write.push_back(
        {.path = dir_.last_screen_file(), .content = screen, .dispensable = true});
  }
  order.write.push_back(
      {.path = dir_.result_file(), .content = store::to_json(result), .has_room = true});
  order.write.push_back(record());
  order.write.back().has_room = true;
  order.if_failed = [result, record = record_, result_file = dir_.result_file(),
                     record_file = dir_.record_file()](const base::Error& why) {
    return failed_end(result, record, why, result_file, record_file);
  };
  return order;
}

DiskJob::Written RunFiles::record() {
  record_.argv = setup_->told_argv();
  for (std::string& word : record_.argv) word = mask::masked(setup_->secrets, word);
  return {.path = dir_.record_file(), .content = store::to_json(record_)};
}

}  // namespace orch::session
