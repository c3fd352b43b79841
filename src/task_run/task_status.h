#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "task/task_machine.h"

namespace orch::task_run {

// How a task stands, by its files: whoever asks takes nothing from an orch that works on it.
struct TaskStatus {
  task::TaskSpec spec;
  std::string repo;             // "": it was not begun
  std::string started, latest;  // of the journal; ""
  bool is_at_work = false;      // an orch works on it now
  int64_t worked_ms = 0;        // the task's own time
  std::string step;             // that is open: "worker 2"; "" where none is
  task::State state = task::State::kPending;
  std::optional<task::TaskEnd> end;
  bool can_go_on = true;  // --resume takes it up
  task::TaskFacts facts;
  int64_t loops = 0;  // worker runs that count against runner.worker.max_loops
};
// kNotFound where there is none of that id: the error names those that are there.
base::Result<TaskStatus> status_of_task(const std::string& state_dir, const std::string& id);

}  // namespace orch::task_run
