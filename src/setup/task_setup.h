#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "task_run/task_run.h"

namespace orch::setup {

// The options of `orch task`.
struct TaskOptions {
  std::string file, resume, status;
  std::string approve = "none";
  bool json = false;
  std::optional<std::string> state_dir;
};

// A task, ready to be carried out: everything was checked, and its folder is locked.
struct PreparedTask {
  task_run::TaskSetup setup;
  std::unique_ptr<task_run::TaskFolder> folder;
  std::vector<task::JournalEntry> journal;  // of the task that is resumed; empty for a new one
  std::vector<std::string> notes;           // lines for stderr
};
base::Result<PreparedTask> prepare_task(const TaskOptions& options);

}  // namespace orch::setup
