#include "client/runs.h"

#include <algorithm>
#include <utility>

#include "event/exit_reason.h"
#include "store/issue_name.h"

namespace orch::client {
namespace {

using store::RunStatus;

bool is_over(RunStatus status) {
  return status != RunStatus::kStarting && status != RunStatus::kRunning;
}

bool fits(const RunView& run, const Place& place, const RunFilter& filter) {
  const store::RunRecord& record = run.record;
  if (filter.since && record.started < store::rfc3339_utc(*filter.since)) return false;
  if (!filter.agent.empty() && record.agent != filter.agent) return false;
  if (filter.status && record.status != *filter.status) return false;
  return filter.reach == Reach::kEverywhere || is_here(place, record.repository, record.cwd);
}

}  // namespace

std::optional<RunView> view_run(const std::string& state_dir, const store::RunFolder& folder) {
  std::optional<store::RunRecord> record = store::record_of(folder);
  if (!record) return std::nullopt;
  RunView run{folder, std::move(*record), false};
  const RunStatus now = store::status_now(state_dir, run.record);
  run.host_died = now != run.record.status;
  run.record.status = now;
  return run;
}

// Names of runs begin with the time, which may be later than the clock's but never earlier, so that
// most of what is not looked for is not read.
std::vector<RunView> list_runs(const Place& place, const RunFilter& filter) {
  std::vector<RunView> runs;
  std::vector<store::RunFolder> folders = store::run_folders(place.state_dir);
  const std::string oldest = filter.since ? store::compact_utc(*filter.since) : "";
  for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) {
    if (filter.most != 0 && runs.size() == filter.most) break;
    if (folder->id < oldest) break;
    const bool wanted = filter.issue.empty() || filter.issue == folder->issue ||
                        filter.issue == store::session_name(folder->issue);
    if (!wanted) continue;
    std::optional<RunView> run = view_run(place.state_dir, *folder);
    if (run && fits(*run, place, filter)) runs.push_back(std::move(*run));
  }
  return runs;
}

std::string state_text(const RunView& run) {
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
