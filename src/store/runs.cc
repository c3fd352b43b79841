#include "store/runs.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <memory>

#include "store/file_io.h"
#include "store/issue_name.h"
#include "store/session_file.h"

namespace orch::store {
namespace {

namespace fs = std::filesystem;

// "20261121T225100123", or without the milliseconds.
bool is_time(std::string_view text) {
  constexpr size_t kToSeconds = 15, kToMilliseconds = 18, kT = 8;
  if (text.size() != kToSeconds && text.size() != kToMilliseconds) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i == kT ? text[i] != 'T' : text[i] < '0' || text[i] > '9') return false;
  }
  return true;
}

// Whether there are files that a run writes after its record.
bool has_begun(const RunFolder& run) {
  std::error_code failure;
  for (const char* name : {"/output.cast", "/transcript.txt", "/snapshot", "/result.json"}) {
    if (fs::exists(run.path + name, failure)) return true;
  }
  return false;
}

ReadRecord unreadable(const std::string& why) {
  return {RecordState::kUnreadable, {}, "run.json cannot be read: " + why};
}

// There may be many thousands, so each has to be cheap.
std::vector<RunFolder> folders_in(const std::string& folder) {
  std::vector<RunFolder> runs;
  const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(folder.c_str()), ::closedir);
  if (!opened) return runs;
  while (const dirent* entry = ::readdir(opened.get())) {  // NOLINT(concurrency-mt-unsafe)
    const std::string_view id = entry->d_name;
    const size_t time = id.find('-'), suffix = id.rfind('-');
    if (time == suffix || !is_time(id.substr(0, time))) continue;
    std::string issue(id.substr(time + 1, suffix - time - 1));
    if (!check_issue_name(issue)) continue;
    std::string path = folder;
    path.append("/").append(id);
    runs.push_back({std::move(path), std::string(id), std::move(issue)});
  }
  std::sort(runs.begin(), runs.end(),
            [](const RunFolder& a, const RunFolder& b) { return a.id < b.id; });
  return runs;
}

}  // namespace

std::vector<RunFolder> run_folders(const std::string& state_dir) {
  return folders_in(state_dir + "/runs");
}

TimePoint time_in_name(const RunFolder& run) {
  return parse_compact_utc(std::string_view(run.id).substr(0, run.id.find('-')))
      .value_or(TimePoint());
}

std::vector<RunFolder> summary_folders(const std::string& state_dir) {
  return folders_in(state_dir + "/summaries");
}

ReadRecord read_record(const RunFolder& run) {
  std::error_code failure;
  const std::string path = run.path + "/run.json";
  if (fs::status(path, failure).type() == fs::file_type::not_found) {
    if (has_begun(run)) return unreadable("it is missing");
    return {RecordState::kNotBegun, {}, "run.json is not there: its agent was not started"};
  }
  const base::Result<std::string> text = read_regular_file(path, kMaxRecordBytes);
  if (!text) return unreadable(text.error().text);
  base::Result<RunRecord> record = run_record_from_json(*text);
  if (record) {
    // A host that could not write the end into its record has ended all the same.
    const bool open =
        record->status == RunStatus::kStarting || record->status == RunStatus::kRunning;
    if (const auto result = open ? result_of(run) : std::nullopt) conclude(*record, *result);
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

std::optional<RunRecord> record_of(const RunFolder& run) {
  ReadRecord read = read_record(run);
  if (read.state != RecordState::kWhole) return std::nullopt;
  return std::move(read.record);
}

std::optional<RunResult> result_of(const RunFolder& run) {
  const base::Result<std::string> text =
      read_regular_file(run.path + "/result.json", kMaxRecordBytes);
  if (!text) return std::nullopt;
  base::Result<RunResult> result = run_result_from_json(*text);
  if (!result) return std::nullopt;
  return std::move(result).value();
}

bool is_ours(const RunFolder& folder) {
  std::error_code failure;
  for (const char* name :
       {"/run.json", "/prompt.md", "/orch.log", "/events.jsonl", "/hooks.json", "/fence.json",
        "/run.json.room", "/result.json.room", "/summary.json", "/host.log"}) {
    if (fs::exists(folder.path + name, failure)) return true;
  }
  return fs::is_empty(folder.path, failure) && !failure;
}

TimePoint last_sign_of(const RunFolder& run, const RunRecord& record) {
  if (record.ended) {
    if (const auto at = parse_rfc3339_utc(*record.ended)) return *at;
  }
  std::error_code failure;
  const fs::file_time_type touched = fs::last_write_time(run.path, failure);
  const auto age = fs::file_time_type::clock::now() - touched;
  return std::chrono::system_clock::now() -
         std::chrono::duration_cast<std::chrono::system_clock::duration>(age);
}

base::Result<base::Fd> lock_run(const RunFolder& run) {
  base::Fd folder(::open(run.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) return base::system_error("open " + run.path, errno);
  if (::flock(folder.get(), LOCK_EX | LOCK_NB) == 0) return folder;
  if (errno != EWOULDBLOCK) return base::system_error("lock " + run.path, errno);
  return base::usage_error("another undo of " + run.id + " is at work, or orch gc removes it");
}

RunStatus status_now(const std::string& state_dir, const RunRecord& record) {
  const bool open = record.status == RunStatus::kStarting || record.status == RunStatus::kRunning;
  if (!open) return record.status;
  const std::string key = session_key(record.issue, record.repository);
  const std::optional<SessionRecord> session = session_of(state_dir, key);
  if (session && session->run == record.id) {
    return session->status == SessionStatus::kRunning ? record.status : RunStatus::kFailed;
  }
  // A host holds the session's lock before it writes the session's file, and only the newest run
  // can be the one that is about to.
  const bool newest = !session || session->run < record.id;
  return newest && is_held(state_dir, key) ? record.status : RunStatus::kFailed;
}

}  // namespace orch::store
