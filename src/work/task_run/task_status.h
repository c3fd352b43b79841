#pragma once

#include <string>

#include "base/result.h"
#include "task/task_machine.h"

namespace orch::task_run {

// The state of a task, according to its files. Reading this disturbs no orch that works on the
// task.
struct TaskStatus {
  task::TaskSpec spec;
  std::string repo;             // "" if the task was not begun
  std::string started, latest;  // times of the journal's first and last entry; "" if there is none
  bool is_at_work = false;      // an orch is working on it now
  int64_t worked_ms = 0;        // on the task's own clock
  std::string step;             // the open step, "worker 2"; "" if there is none
  task::TaskState state = task::TaskState::kPending;
  std::optional<task::TaskEnd> end;
  bool can_go_on = true;  // --resume can continue it
  task::TaskFacts facts;
  int64_t loops = 0;  // the worker runs that count against runner.worker.max_loops
};
// kNotFound if no task has that id; the error names the existing tasks.
base::Status check_task(const std::string& state_dir, const std::string& id);
base::Result<TaskStatus> status_of_task(const std::string& state_dir, const std::string& id);

}  // namespace orch::task_run
