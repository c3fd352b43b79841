#include "session/run_files.h"

#include <chrono>

#include "store/atomic_file.h"
#include "store/issue_name.h"

namespace orch::session {

using base::Result;
using base::Status;
using store::RunStatus;

namespace {

store::RunRecord record_of(const store::RunDir& dir, const SessionSetup& setup,
                           store::TimePoint started, RunStatus status) {
  store::RunRecord record;
  record.id = dir.id();
  record.issue = setup.issue;
  record.session = store::session_name(setup.issue);
  record.agent = setup.manifest->name;
  record.argv = adapters::told_argv(setup.launch);
  record.cwd = setup.cwd;
  record.repository = setup.repository;
  record.manager = setup.manager.name;
  record.manager_reason = setup.manager.reason;
  record.status = status;
  record.started = store::rfc3339_utc(started);
  record.keep_for_ms = setup.record.keep_for_ms;
  if (status != RunStatus::kStarting && status != RunStatus::kRunning) {
    record.ended = store::rfc3339_utc(std::chrono::system_clock::now());
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
  const auto term = setup.launch.env.find("TERM");
  header.env = {{"TERM", term == setup.launch.env.end() ? "xterm-256color" : term->second}};
  return header;
}

}  // namespace

Result<RunFiles> RunFiles::open(store::RunDir dir, const SessionSetup& setup,
                                store::TimePoint started) {
  if (Status s = store::write_file_unsynced(dir.prompt_file(), setup.plan.prompt); !s) {
    return s.error();
  }
  Result<store::EventLog> events = store::EventLog::open(dir.events_file());
  if (!events) return events.error();
  RunFiles files(std::move(dir), setup, started, std::move(events).value());
  const DiskJob::Written record = files.record(RunStatus::kStarting);
  if (Status s = store::write_file_unsynced(record.path, record.content); !s) return s.error();
  if (Status s = files.open_words(); !s) return s.error();
  return files;
}

RunFiles::RunFiles(store::RunDir dir, const SessionSetup& setup, store::TimePoint started,
                   store::EventLog events)
    : dir_(std::move(dir)), setup_(&setup), started_(started), events_(std::move(events)) {}

Status RunFiles::open_words() {
  if (!setup_->record.keep) {
    recording_ = store::Recording::none();
    return base::Ok{};
  }
  Result<store::EventLog> transcript = store::EventLog::open(dir_.transcript_file());
  if (!transcript) return transcript.error();
  transcript_ = std::move(transcript).value();
  Result<std::unique_ptr<store::Recording>> recording = store::Recording::create(
      dir_.recording_file(), header_of(*setup_, started_), setup_->record.limit_bytes);
  if (!recording) return recording.error();
  recording_ = std::move(recording).value();
  return base::Ok{};
}

event::SessionStart RunFiles::head() const {
  return store::head_of(record_of(dir_, *setup_, started_, RunStatus::kStarting));
}

DiskJob::Order RunFiles::running() const {
  DiskJob::Order order;
  order.write.push_back(record(RunStatus::kRunning));
  return order;
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

DiskJob::Order RunFiles::ended(const store::RunResult& result) {
  DiskJob::Order order;
  order.close.push_back({recording_->take_file(), recording_->path()});
  order.close.push_back({events_.take_file(), events_.path()});
  if (transcript_) order.close.push_back({transcript_->take_file(), transcript_->path()});
  std::erase_if(order.close, [](const DiskJob::Closed& open) { return !open.file.valid(); });
  order.write.push_back({dir_.result_file(), store::to_json(result)});
  order.write.push_back(record(store::status_after(result.reason)));
  return order;
}

DiskJob::Written RunFiles::record(RunStatus status) const {
  return {dir_.record_file(), store::to_json(record_of(dir_, *setup_, started_, status))};
}

}  // namespace orch::session
