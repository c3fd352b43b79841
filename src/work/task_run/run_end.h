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
  int code = 0;           // exit code, as a shell reports it
  std::string words;      // the end of the output
  std::string complaint;  // the last line on standard error
  int64_t ms = 0;
  // Absent if the run was killed, or refused its command line.
  std::optional<store::RunResult> result;
};

// The end of a worker's run, as the task sees it.
task::WorkerEnd worker_end(RunEnd run);
// The end of a test run. It has passed only if the command ended by itself, with 0.
task::TestEnd test_end(const RunEnd& run);

}  // namespace orch::task_run
