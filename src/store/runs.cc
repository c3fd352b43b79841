#include "store/runs.h"

#include <algorithm>
#include <filesystem>

#include "store/file_io.h"
#include "store/issue_name.h"
#include "store/session_file.h"

namespace orch::store {
namespace {

namespace fs = std::filesystem;

constexpr size_t kTimeLength = 15;  // 20261121T225100
constexpr size_t kMaxRecordBytes = 4 << 20;

std::optional<std::string> content(const std::string& path) {
  base::Result<std::string> text = read_file(path, kMaxRecordBytes);
  if (!text) return std::nullopt;
  return std::move(text).value();
}

std::vector<RunFolder> folders_in(const std::string& folder) {
  std::vector<RunFolder> runs;
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure)) {
    const std::string id = entry.path().filename().string();
    const size_t suffix = id.rfind('-');
    if (suffix == std::string::npos || suffix <= kTimeLength + 1) continue;
    const std::string issue = id.substr(kTimeLength + 1, suffix - kTimeLength - 1);
    if (check_issue_name(issue)) runs.push_back({entry.path().string(), id, issue});
  }
  std::sort(runs.begin(), runs.end(),
            [](const RunFolder& a, const RunFolder& b) { return a.id < b.id; });
  return runs;
}

}  // namespace

std::vector<RunFolder> run_folders(const std::string& state_dir) {
  return folders_in(state_dir + "/runs");
}

std::vector<RunFolder> summary_folders(const std::string& state_dir) {
  return folders_in(state_dir + "/summaries");
}

std::optional<RunRecord> record_of(const RunFolder& run) {
  const std::optional<std::string> text = content(run.path + "/run.json");
  if (!text) return std::nullopt;
  base::Result<RunRecord> record = run_record_from_json(*text);
  if (!record) return std::nullopt;
  return std::move(record).value();
}

std::optional<RunResult> result_of(const RunFolder& run) {
  const std::optional<std::string> text = content(run.path + "/result.json");
  if (!text) return std::nullopt;
  base::Result<RunResult> result = run_result_from_json(*text);
  if (!result) return std::nullopt;
  return std::move(result).value();
}

RunStatus status_now(const std::string& state_dir, const RunRecord& record) {
  const bool open = record.status == RunStatus::kStarting || record.status == RunStatus::kRunning;
  if (!open) return record.status;
  const std::string key = session_key(record.issue, record.repository);
  const std::optional<SessionRecord> session = session_of(state_dir, key);
  if (session && session->run == record.id) {
    return session->status == SessionStatus::kRunning ? record.status : RunStatus::kFailed;
  }
  // A host holds the session's place before it writes the session's file: only the newest run can
  // be the one that is about to.
  const bool newest = !session || session->run < record.id;
  return newest && is_held(state_dir, key) ? record.status : RunStatus::kFailed;
}

}  // namespace orch::store
