#include "engine/job_state.h"

#include "base/words.h"
#include "event/exit_reason.h"

namespace orch::engine {
namespace {

using event::ExitReason;

constexpr base::Words<JobState, 7> kStates{{{JobState::kQueued, "queued"},
                                            {JobState::kRunning, "running"},
                                            {JobState::kCompleted, "completed"},
                                            {JobState::kFailed, "failed"},
                                            {JobState::kCancelled, "cancelled"},
                                            {JobState::kVanished, "vanished"},
                                            {JobState::kUnknown, "unknown"}}};

void tell(Job& job, const IssueFiles& files, const std::string& artifacts) {
  if (!files.result) return;
  job.reason = files.result->reason;
  job.code = files.result->code;
  job.detail = files.result->detail;
  job.run = files.result->run;
  job.ms = files.result->ms;
  job.turns = files.result->turns;
  job.artifacts = attempt_folder(artifacts, files.result_of);
}

void conclude(Job& job, JobState state, ExitReason reason, const std::string& detail) {
  job.state = state;
  job.reason = event::name(reason);
  job.code = event::exit_code(reason);
  job.detail = detail;
}

// The end of a job that published no verdict, and that the engine does not begin again. The result
// of its last attempt stands, if that attempt wrote one other than success.
void judge_without_verdict(Job& job, const IssueFiles& files, const EngineJob* seen,
                           const std::string& artifacts) {
  const bool said = files.result && files.result_of == files.attempts && files.result->code != 0;
  const EngineState state = seen == nullptr ? EngineState::kEnded : seen->state;
  if (said) {
    tell(job, files, artifacts);
    const bool terminated = files.result->reason == event::name(ExitReason::kTerminated);
    job.state = terminated ? JobState::kCancelled : JobState::kFailed;
    if (state == EngineState::kTimeLimit) {
      conclude(job, JobState::kFailed, ExitReason::kTimeout, "the engine's limit of time passed");
    }
    return;
  }
  switch (state) {
    case EngineState::kCancelled:
      return conclude(job, JobState::kCancelled, ExitReason::kTerminated,
                      "it was cancelled before its verdict");
    case EngineState::kTimeLimit:
      return conclude(job, JobState::kFailed, ExitReason::kTimeout,
                      "the engine's limit of time passed without a verdict");
    case EngineState::kNodeLost:
      return conclude(job, JobState::kVanished, ExitReason::kInternal,
                      "the engine lost its node before the verdict");
    case EngineState::kWaits:
    case EngineState::kRuns:
    case EngineState::kEnded:
    case EngineState::kOther:
      break;
  }
  conclude(job, JobState::kVanished, ExitReason::kInternal,
           seen == nullptr ? "the engine has forgotten the job, and there is no verdict"
                           : "the job ended without a verdict; its log says more");
}

}  // namespace

std::string_view name(JobState state) { return base::word_of(kStates, state); }

bool is_over(JobState state) {
  switch (state) {
    case JobState::kQueued:
    case JobState::kRunning:
    case JobState::kUnknown:
      return false;
    case JobState::kCompleted:
    case JobState::kFailed:
    case JobState::kCancelled:
    case JobState::kVanished:
      return true;
  }
  return true;
}

Job judge_job(size_t index, const std::string& issue, const std::string& artifacts,
              const IssueFiles& files, const EngineAnswer& answer, const EngineJob* seen) {
  Job job;
  job.index = index;
  job.issue = issue;
  job.attempts = files.attempts;
  if (seen != nullptr) job.engine_word = seen->word;
  if (files.verdict && files.result) {
    tell(job, files, artifacts);
    job.state = job.code == 0 ? JobState::kCompleted : JobState::kFailed;
    return job;
  }
  if (!answer.asked) return job;
  const EngineState state = seen == nullptr ? EngineState::kEnded : seen->state;
  switch (state) {
    case EngineState::kWaits:
      job.state = JobState::kQueued;
      job.engine_why = seen->why;
      return job;
    case EngineState::kRuns:
    case EngineState::kOther:
      job.state = JobState::kRunning;
      return job;
    case EngineState::kEnded:
    case EngineState::kCancelled:
    case EngineState::kTimeLimit:
    case EngineState::kNodeLost:
      judge_without_verdict(job, files, seen, artifacts);
      return job;
  }
  return job;
}

}  // namespace orch::engine
