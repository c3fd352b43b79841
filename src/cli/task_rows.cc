#include "cli/task_rows.h"

#include <algorithm>
#include <utility>

#include "cli/command.h"
#include "event/exit_reason.h"
#include "task_run/run_words.h"

namespace orch::cli {
namespace {

using report::SummaryRow;
using task_run::TaskStatus;

// "demo" of "demo-w12" or "demo-t1"; "" of any other name.
std::string task_in(const std::string& issue) {
  const size_t digits = issue.find_last_not_of("0123456789");
  if (digits == std::string::npos || digits < 2 || digits + 1 == issue.size()) return "";
  const bool is_inner = issue[digits - 1] == '-' && (issue[digits] == 'w' || issue[digits] == 't');
  return is_inner ? issue.substr(0, digits - 1) : "";
}

bool has_run(const TaskStatus& status, const std::string& run, const std::string& issue) {
  const bool is_worker = std::ranges::any_of(status.facts.runs, [&](const task::WorkerRun& one) {
    return one.end && one.end->run == run;
  });
  const bool is_test = std::ranges::any_of(
      status.facts.tests, [&](const task::TestRun& one) { return one.end.run == run; });
  // The one that is at work, or was when orch was killed.
  const int n = static_cast<int>(status.facts.runs.size());
  const bool is_open = !status.facts.runs.empty() && !status.facts.runs.back().end &&
                       issue == task_run::worker_issue(status.spec.id, n);
  return is_worker || is_test || is_open;
}

SummaryRow row_of(const TaskStatus& status) {
  SummaryRow row;
  row.issue = status.spec.id;
  row.agent = "task";
  row.is_task = true;
  row.started = status.started;
  row.ms = status.worked_ms;
  row.tokens = event::tokens(status.facts.usage);
  row.cost_usd = status.facts.usage.cost_usd;
  using Phase = report::Standing::Phase;
  if (status.end) {
    row.state = "task/" + std::string(name(status.end->reason));
    const bool is_complete = status.end->reason == task::EndReason::kComplete;
    row.standing.reason =
        is_complete ? event::ExitReason::kComplete : event::ExitReason::kGateFailed;
    return row;
  }
  row.state = status.is_at_work ? "task/at work" : "task/interrupted";
  row.standing.phase = status.is_at_work ? Phase::kAtWork : Phase::kHostDied;
  if (!status.is_at_work)
    row.next = {"orch task --resume " + row.issue, "no orch is at work on it"};
  return row;
}

}  // namespace

const TaskStatus* TaskRows::status_of(const std::string& id) {
  const auto [found, is_new] = known_.try_emplace(id);
  if (is_new) {
    base::Result<TaskStatus> status = task_run::status_of_task(state_dir_, id);
    const bool is_known = status || status.error().code == base::ErrorCode::kNotFound;
    if (!is_known) (void)report(status.error());
    if (status) found->second = std::move(status).value();
  }
  return found->second ? &*found->second : nullptr;
}

std::string TaskRows::task_of(const std::string& run, const std::string& issue) {
  std::string id = task_in(issue);
  const TaskStatus* status = id.empty() ? nullptr : status_of(id);
  return status != nullptr && has_run(*status, run, issue) ? id : "";
}

std::vector<SummaryRow> TaskRows::grouped(std::vector<SummaryRow> rows) {
  std::vector<SummaryRow> result;
  std::map<std::string, std::vector<SummaryRow>> inner;
  for (SummaryRow& row : rows) {
    row.task = task_of(row.run, row.issue);
    if (row.task.empty()) {
      result.push_back(std::move(row));
      continue;
    }
    if (inner[row.task].empty()) result.push_back(row_of(*status_of(row.task)));
    row.next = {};
    inner[row.task].push_back(std::move(row));
  }
  for (size_t i = 0; i < result.size(); ++i) {
    if (!result[i].is_task) continue;
    std::vector<SummaryRow>& own = inner[result[i].issue];
    result.insert(result.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                  std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
  }
  return result;
}

}  // namespace orch::cli
