#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/summary.h"
#include "task_run/task_status.h"

namespace orch::cli {

// The tasks that runs belong to: a task's worker runs and tests are runs of orch, too.
class TaskRows {
 public:
  explicit TaskRows(std::string state_dir) : state_dir_(std::move(state_dir)) {}

  // The id of the task; "": the run is nobody's but the user's.
  std::string task_of(const std::string& run, const std::string& issue);
  // Puts the runs of each task below a row of the task, in the place of the newest of them, and
  // leaves the next step to that row.
  std::vector<report::SummaryRow> grouped(std::vector<report::SummaryRow> rows);

 private:
  const task_run::TaskStatus* status_of(const std::string& id);

  std::string state_dir_;
  std::map<std::string, std::optional<task_run::TaskStatus>> known_;  // by id; nullopt: no task
};

}  // namespace orch::cli
