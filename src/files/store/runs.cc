#include "store/runs.h"

#include <fcntl.h>

#include <cerrno>
#include <initializer_list>

#include "store/file_lock.h"
#include "store/issue_name.h"
#include "store/session_file.h"
#include "store/state_file.h"

namespace orch::store {
namespace {

// "20261121T225100123", or without the milliseconds.
bool is_time(std::string_view text) {
  constexpr size_t kToSeconds = 15, kToMilliseconds = 18, kT = 8;
  if (text.size() != kToSeconds && text.size() != kToMilliseconds) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i == kT ? text[i] != 'T' : text[i] < '0' || text[i] > '9') return false;
  }
  return true;
}

ReadRecord unreadable(const std::string& why, bool is_refused = false) {
  return {RecordState::kUnreadable, {}, "run.json cannot be read: " + why, is_refused};
}

// Whether one of these files is there; unknown if the first one found cannot be looked at.
Presence any_of(const RunFolder& run, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    Presence file = presence_of(run.path + "/" + name);
    if (!file.is_absent()) return file;
  }
  return Presence::absent();
}

// Whether there are files that a run writes after its record.
Presence has_begun(const RunFolder& run) {
  return any_of(run, {"output.cast", "transcript.txt", "snapshot", "result.json"});
}

// The record of a run that has no run.json.
ReadRecord without_record(const RunFolder& run) {
  const Presence begun = has_begun(run);
  if (begun.is_unknown()) {
    return {RecordState::kUnreadable, {}, "run.json is not there, and " + begun.error().text, true};
  }
  if (begun.is_present()) return unreadable("it is missing");
  return {RecordState::kNotBegun, {}, "run.json is not there: its agent was not started"};
}

// There may be many thousands, so each has to be cheap.
base::Result<std::vector<RunFolder>> folders_in(const std::string& folder) {
  const base::Result<std::vector<std::string>> names = names_in_folder(folder);
  if (!names) return names.error();
  std::vector<RunFolder> runs;
  for (const std::string_view id : *names) {
    const size_t time = id.find('-'), suffix = id.rfind('-');
    if (time == suffix || !is_time(id.substr(0, time))) continue;
    std::string issue(id.substr(time + 1, suffix - time - 1));
    if (!check_issue_name(issue)) continue;
    std::string path = folder;
    path.append("/").append(id);
    runs.push_back({std::move(path), std::string(id), std::move(issue)});
  }
  return runs;
}

}  // namespace

bool may_be_elsewhere(const std::string& state_dir, const RunRecord& record) {
  const std::optional<pty::ProcessIdentity> host = pty::identity_from(record.host);
  if (!host) return false;
  const pty::Whereabouts where = pty::whereabouts(*host);
  const bool is_elsewhere =
      where == pty::Whereabouts::kOtherMachine || where == pty::Whereabouts::kOtherNamespace;
  return is_elsewhere && may_live_unlocked(state_dir, *host);
}

base::Result<std::vector<RunFolder>> run_folders(const std::string& state_dir) {
  return folders_in(state_dir + "/runs");
}

TimePoint time_in_name(const RunFolder& run) {
  return parse_compact_utc(std::string_view(run.id).substr(0, run.id.find('-')))
      .value_or(TimePoint());
}

base::Result<std::vector<RunFolder>> summary_folders(const std::string& state_dir) {
  return folders_in(state_dir + "/summaries");
}

ReadRecord read_record(const RunFolder& run) {
  const Found<std::string> text = read_state(run.path + "/run.json", kMaxRecordBytes);
  if (text.is_absent()) return without_record(run);
  if (text.is_unknown()) return unreadable(text.error().text, is_refused(text.error()));
  base::Result<RunRecord> record = run_record_from_json(*text);
  if (record) {
    // A host that could not write the end into its record has still ended.
    const bool open =
        record->status == RunStatus::kStarting || record->status == RunStatus::kRunning;
    const Found<RunResult> result = open ? result_of(run) : Found<RunResult>::absent();
    if (result.is_unknown()) {
      return {RecordState::kUnreadable, std::move(record).value(),
              "how it ended cannot be read: " + result.error().text, is_refused(result.error())};
    }
    if (result.is_present()) conclude(*record, *result);
    return {RecordState::kWhole, std::move(record).value(), ""};
  }
  PartOfRecord part = part_of_run_record(*text);
  if (part.format > kRunRecordFormat) {
    return {RecordState::kOtherVersion, std::move(part.record),
            "run.json was written by a later orch"};
  }
  ReadRecord read = unreadable(record.error().text);
  read.record = std::move(part.record);
  return read;
}

Found<RunRecord> record_of(const RunFolder& run) {
  ReadRecord read = read_record(run);
  if (read.state == RecordState::kNotBegun) return Found<RunRecord>::absent();
  if (read.state != RecordState::kWhole) {
    return base::Error{read.is_refused ? base::ErrorCode::kSystem : base::ErrorCode::kUsage,
                       "run " + run.id + ": " + read.why};
  }
  return std::move(read.record);
}

Found<RunResult> result_of(const RunFolder& run) {
  const std::string path = run.path + "/result.json";
  const Found<std::string> text = read_state(path, kMaxRecordBytes);
  if (text.is_absent()) return Found<RunResult>::absent();
  if (text.is_unknown()) return text.error();
  base::Result<RunResult> result = run_result_from_json(*text);
  if (!result) return base::usage_error("read " + path + ": " + result.error().text);
  return std::move(result).value();
}

Presence sign_of_orch(const RunFolder& folder) {
  Presence file = any_of(
      folder, {"run.json", "prompt.md", "orch.log", "events.jsonl", "hooks.json", "fence.json",
               "run.json.room", "result.json.room", "summary.json", "host.log"});
  if (!file.is_absent()) return file;
  const base::Result<std::vector<std::string>> names = names_in_folder(folder.path);
  if (!names) return names.error();
  return names->empty() ? Presence(base::Ok{}) : Presence::absent();
}

Found<TimePoint> last_sign_of(const RunFolder& run, const RunRecord& record) {
  if (record.ended) {
    if (const auto at = parse_rfc3339_utc(*record.ended)) return *at;
  }
  return time_of_change(run.path);
}

base::Status remove_run_folder(const RunFolder& run) {
  std::error_code failure;
  const std::filesystem::path path(run.path);
  const std::filesystem::path gone =
      path.parent_path() / (std::string(kGone) + path.filename().string());
  std::filesystem::rename(path, gone, failure);
  if (!failure) std::filesystem::remove_all(gone, failure);
  if (failure) return base::system_error("remove " + run.path, failure.value());
  return base::Ok{};
}

base::Result<base::Fd> lock_run(const RunFolder& run) {
  base::Fd folder(::open(run.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) return base::system_error("open " + run.path, errno);
  if (lock_open(folder, 0)) return folder;
  if (errno != EWOULDBLOCK) return base::system_error("lock " + run.path, errno);
  return base::usage_error("another undo of " + run.id + " is at work, or orch gc removes it");
}

base::Result<RunStatus> status_now(const std::string& state_dir, const RunRecord& record) {
  const bool open = record.status == RunStatus::kStarting || record.status == RunStatus::kRunning;
  if (!open) return record.status;
  const std::string key = session_key(record.issue, record.repository);
  const Found<SessionRecord> session = session_of(state_dir, key);
  if (session.is_unknown()) return session.error();
  if (session.is_present() && session->run == record.id) {
    return session->status == SessionStatus::kRunning ? record.status : RunStatus::kFailed;
  }
  // A host holds the session's lock before it writes the session's file, and only the newest run
  // can be the one that is about to.
  if (session.is_present() && session->run >= record.id) return RunStatus::kFailed;
  const Presence host = host_of(state_dir, key);
  if (host.is_unknown()) return host.error();
  return host.is_present() || may_be_elsewhere(state_dir, record) ? record.status
                                                                  : RunStatus::kFailed;
}

}  // namespace orch::store
