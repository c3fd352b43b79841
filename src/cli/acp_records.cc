#include "cli/acp_records.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "base/text.h"
#include "client/runs.h"
#include "event/event.h"
#include "store/last_lines.h"
#include "store/runs.h"
#include "store/session_file.h"

namespace orch::cli {
namespace {

constexpr std::string_view kIssuePrefix = "acp-";
constexpr size_t kMostListed = 200;
constexpr size_t kMostTitle = 80;

// The number in "acp-12"; nullopt for another issue.
std::optional<int64_t> number_of(std::string_view issue) {
  if (!issue.starts_with(kIssuePrefix)) return std::nullopt;
  issue.remove_prefix(kIssuePrefix.size());
  int64_t number = 0;
  const auto [end, error] = std::from_chars(issue.data(), issue.data() + issue.size(), number);
  const bool is_number = error == std::errc() && end == issue.data() + issue.size();
  return is_number ? std::optional(number) : std::nullopt;
}

// The first line of the user's in the record of a run; "" if there is none.
std::string first_words(const std::string& events) {
  std::string words;
  constexpr uint64_t kLookedAt = size_t{64} << 10;
  (void)store::each_line(events, 0, kLookedAt, [&](std::string_view line, uint64_t) {
    const std::optional<event::Record> record = event::parse_record(line);
    const auto* output = record ? std::get_if<event::Output>(&record->event) : nullptr;
    if (output == nullptr || output->speaker != event::Speaker::kUser) return true;
    words = base::beginning(output->text, kMostTitle);
    return words.empty();
  });
  return words;
}

}  // namespace

bool is_acp_issue(std::string_view issue) { return number_of(issue).has_value(); }

std::string acp_issue_of(const std::string& key) {
  const std::string name = key.substr(0, key.find('@'));
  constexpr std::string_view kPrefix = "orch-";
  return name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
}

std::string next_acp_issue(const std::string& state_dir, int64_t& last) {
  int64_t most = last;
  if (const auto runs = store::run_folders(state_dir)) {
    for (const store::RunFolder& run : *runs)
      most = std::max(most, number_of(run.issue).value_or(0));
  }
  last = most + 1;
  return std::string(kIssuePrefix) + std::to_string(last);
}

base::Result<std::vector<acp::Listed>> acp_sessions(const client::Place& place,
                                                    const std::string& cwd) {
  std::vector<acp::Listed> listed;
  std::set<std::string> seen;
  client::RunFilter filter;
  filter.reach = client::Reach::kEverywhere;
  const base::Status all = client::each_run(place, filter, [&](const client::RunView& run) {
    if (!is_acp_issue(run.record.issue) || !run.unreadable.empty()) return;
    if (listed.size() >= kMostListed || (!cwd.empty() && run.record.cwd != cwd)) return;
    const std::string key = store::session_key(run.record.issue, run.record.repository);
    if (!seen.insert(key).second) return;
    listed.push_back({key, run.record.cwd, first_words(run.folder.path + "/events.jsonl"),
                      run.record.ended.value_or(run.record.started)});
  });
  if (!all) return all.error();
  return listed;
}

bool has_conversation(const store::RunRecord& record) {
  return record.parent || !record.verdict || record.verdict->turns > 0;
}

std::vector<std::string> acp_history(const std::string& state_dir, store::RunRecord record,
                                     bool with_last) {
  constexpr size_t kMostRuns = 100;
  std::vector<std::string> files;
  const std::string folder = state_dir + "/runs/";
  if (with_last) files.push_back(folder + record.id + "/events.jsonl");
  while (record.parent && files.size() < kMostRuns) {
    const store::RunFolder parent{folder + *record.parent, *record.parent, record.issue};
    files.push_back(parent.path + "/events.jsonl");
    auto earlier = store::record_of(parent).if_present();
    if (!earlier) break;
    record = *std::move(earlier);
  }
  std::reverse(files.begin(), files.end());
  return files;
}

base::Status remove_acp_session(const client::Place& place, const std::string& session) {
  client::RunFilter filter;
  filter.reach = client::Reach::kEverywhere;
  filter.issue = acp_issue_of(session);
  if (!is_acp_issue(filter.issue)) return no_acp_session();
  std::vector<store::RunFolder> runs;
  const base::Status all = client::each_run(place, filter, [&](const client::RunView& run) {
    const std::string key = store::session_key(run.record.issue, run.record.repository);
    if (key != session || !run.unreadable.empty()) return;
    runs.push_back(run.folder);
  });
  if (!all) return all.error();
  if (runs.empty()) return no_acp_session();
  if (!store::host_of(place.state_dir, session).is_absent()) {
    return base::usage_error("the session runs: close it, or orch kill " + session);
  }
  for (const store::RunFolder& run : runs) {
    const base::Result<base::Fd> lock = store::lock_run(run);
    if (!lock) return lock.error();
    if (base::Status removed = store::remove_run_folder(run); !removed) return removed;
  }
  return base::Ok{};
}

base::Error no_acp_session() {
  return {base::ErrorCode::kNotFound, "no session of orch acp has this id"};
}

}  // namespace orch::cli
