#include "task_run/run_end.h"

#include "base/text.h"
#include "event/exit_reason.h"
#include "task/meta_question.h"

namespace orch::task_run {
namespace {

// The limit of a run's output for the meta-agent and the note.
constexpr size_t kToldWords = size_t{12} << 10;

}  // namespace

task::WorkerEnd worker_end(RunEnd run) {
  task::WorkerEnd end;
  end.run = run.run;
  end.code = run.code;
  end.ms = run.ms;
  end.words = task::end_of(base::to_valid_utf8(run.words), kToldWords);
  end.detail = run.complaint;
  end.reason = "not_begun";
  end.changes_unknown = "the run did not come to its end";
  if (!run.result) return end;
  const store::RunResult& result = *run.result;
  end.reason = event::name(result.reason);
  end.detail = base::printable(result.detail.substr(0, result.detail.find('\n')));
  if (result.usage) end.usage = *result.usage;
  if (result.changes) {
    end.changes_unknown = base::printable(result.changes->unknown);
    end.files = result.changes->files;
    end.paths = result.changes->paths;
    end.commit = result.changes->head_moved;
  }
  // The meta-agent decides whether a change was needed.
  if (result.reason == event::ExitReason::kNoChanges) end.code = 0;
  return end;
}

task::TestEnd test_end(const RunEnd& run) {
  task::TestEnd end;
  end.run = run.run;
  end.ms = run.ms;
  end.output = task::end_of(base::to_valid_utf8(run.words), kToldWords);
  end.code = run.code;
  if (!run.result) {
    end.trouble = run.complaint.empty() ? "the run did not come to its end" : run.complaint;
  } else {
    if (run.result->reason == event::ExitReason::kInternal) {
      end.trouble = base::printable(run.result->detail);
    }
    end.timed_out = run.result->reason == event::ExitReason::kTimeout;
    // A command that was stopped may still exit with 0, but its run does not.
    const int of_command = run.result->agent_exit_code.value_or(run.code);
    if (of_command != 0) end.code = of_command;
  }
  if (end.output.empty()) end.output = run.complaint;
  return end;
}

}  // namespace orch::task_run
