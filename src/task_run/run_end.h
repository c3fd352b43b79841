#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "store/run_record.h"
#include "task/task_facts.h"

namespace orch::task_run {

// How an `orch run` ended.
struct RunEnd {
  std::string run;        // its id; "" when it was not begun
  int code = 0;           // as a shell tells it
  std::string words;      // the end of what was said
  std::string complaint;  // its last line on standard error
  int64_t ms = 0;
  std::optional<store::RunResult> result;  // absent: it was killed, or refused what it was asked
};

// What it is to the task.
task::WorkerEnd worker_end(RunEnd run);
// Passed has only what ended by itself, and with 0.
task::TestEnd test_end(const RunEnd& run);

}  // namespace orch::task_run
