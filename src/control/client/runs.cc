#include "client/runs.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "event/exit_reason.h"
#include "store/issue_name.h"

namespace orch::client {
namespace {

using store::RunStatus;

bool is_over(RunStatus status) {
  return status != RunStatus::kStarting && status != RunStatus::kRunning;
}

// Whether a run with an unreadable record may fit, as far as its properties are known.
bool may_fit(const RunView& run, const Place& place, const RunFilter& filter) {
  const store::RunRecord& record = run.record;
  if (!filter.agent.empty() && !record.agent.empty() && record.agent != filter.agent) return false;
  const bool somewhere = !record.repository.empty() && !record.cwd.empty();
  return !somewhere || filter.reach == Reach::kEverywhere ||
         is_here(place, record.repository, record.cwd);
}

bool fits(const RunView& run, const Place& place, const RunFilter& filter) {
  if (!run.unreadable.empty()) return may_fit(run, place, filter);
  const store::RunRecord& record = run.record;
  if (filter.since && record.started < store::rfc3339_utc(*filter.since)) return false;
  if (!filter.agent.empty() && record.agent != filter.agent) return false;
  if (filter.status && record.status != *filter.status) return false;
  return filter.reach == Reach::kEverywhere || is_here(place, record.repository, record.cwd);
}

RunView view_of(const std::string& state_dir, const store::RunFolder& folder,
                store::ReadRecord read) {
  RunView run{folder, std::move(read.record), false, std::move(read.why)};
  if (read.state != store::RecordState::kWhole) {
    run.record.id = folder.id;
    run.record.issue = folder.issue;
    return run;
  }
  const base::Result<RunStatus> now = store::status_now(state_dir, run.record);
  if (!now) {
    run.unreadable = "whether its host lives is not known: " + now.error().text;
    return run;
  }
  run.host_died = *now != run.record.status;
  run.record.status = *now;
  return run;
}

}  // namespace

RunView view_any_run(const std::string& state_dir, const store::RunFolder& folder) {
  return view_of(state_dir, folder, store::read_record(folder));
}

base::Result<RunView> view_run(const std::string& state_dir, const store::RunFolder& folder) {
  RunView run = view_any_run(state_dir, folder);
  if (run.unreadable.empty()) return run;
  return base::usage_error("run " + folder.id + ": " + run.unreadable);
}

// The names of runs begin with a time that may be later than the time of the start in the record,
// but is never earlier, so most runs that do not fit need not be read.
base::Status each_run(const Place& place, const RunFilter& filter,
                      const std::function<void(const RunView& run)>& take) {
  size_t taken = 0;
  const base::Result<std::vector<store::RunFolder>> folders = store::run_folders(place.state_dir);
  if (!folders) return folders.error();
  const std::string oldest = filter.since ? store::compact_utc(*filter.since) : "";
  for (auto folder = folders->rbegin(); folder != folders->rend(); ++folder) {
    if (filter.most != 0 && taken == filter.most) break;
    if (folder->id < oldest) break;
    const bool wanted = filter.issue.empty() || filter.issue == folder->issue ||
                        filter.issue == store::session_name(folder->issue);
    if (!wanted) continue;
    store::ReadRecord read = store::read_record(*folder);
    if (read.state == store::RecordState::kNotBegun) continue;
    const RunView run = view_of(place.state_dir, *folder, std::move(read));
    if (!fits(run, place, filter)) continue;
    ++taken;
    take(run);
  }
  return base::Ok{};
}

std::string state_text(const RunView& run) {
  if (!run.unreadable.empty()) return "unreadable";
  std::string text(store::name(run.record.status));
  if (run.host_died) return text + "/host died";
  if (!is_over(run.record.status) || !run.record.verdict) return text;
  const std::string_view reason = event::name(run.record.verdict->reason);
  return text + "/" + std::string(reason);
}

std::chrono::milliseconds duration_of(const RunView& run, store::TimePoint now) {
  using std::chrono::milliseconds;
  const auto began = store::parse_rfc3339_utc(run.record.started);
  if (!began) return milliseconds(0);
  const auto ended = run.record.ended ? store::parse_rfc3339_utc(*run.record.ended) : now;
  if (!ended) return milliseconds(0);
  return std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(*ended - *began));
}

}  // namespace orch::client
