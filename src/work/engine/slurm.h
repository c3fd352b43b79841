#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/job_state.h"
#include "engine/submission.h"

// The requests to Slurm (22.05 and later), and the reading of its answers. Pure.
namespace orch::engine {

// The largest array that Slurm takes by default (MaxArraySize 1001).
inline constexpr size_t kMostInArray = 1'000;

// The script of the jobs of a part. It has no word from outside: orch's path, the submission's
// folder and the first index come as its arguments. It has the SHA-256 of each task's request, so
// that a job, whose script Slurm keeps, carries out only that request.
std::string slurm_script(const std::vector<std::string>& hashes);

struct SlurmPlan {
  const Submission* submission = nullptr;
  SubmissionFolder folder;
  std::string orch;        // its absolute path, the same on every node
  int64_t timeout_ms = 0;  // of a run; 0: none, then the partition's own limit holds
  std::string after;       // the array that has to end first; "": none
};
// The command that submits one part; it prints the array's number.
std::vector<std::string> sbatch_words(const SlurmPlan& plan, size_t part);
// The number that sbatch --parsable prints: "123" or "123;cluster".
base::Result<std::string> array_number(std::string_view output);

// The command that lists the jobs of all parts, and the reader of its lines. A line that does not
// wholly have the requested form is left out, because it cannot be ours.
std::vector<std::string> squeue_words(const Submission& submission);
std::vector<EngineJob> read_squeue(const Submission& submission, std::string_view output);

// The same for the accounting, which many clusters do not have. It remembers jobs that squeue has
// forgotten.
std::vector<std::string> sacct_words(const Submission& submission);
std::vector<EngineJob> read_sacct(const Submission& submission, std::string_view output);

// Asks for the end of these jobs, by the ids that squeue gave.
std::vector<std::string> scancel_words(const std::vector<std::string>& ids);

// The two commands by which a job has itself begun again so many seconds from now, in this order.
// `array` and `task` are its $SLURM_ARRAY_JOB_ID and $SLURM_ARRAY_TASK_ID, `job` its $SLURM_JOB_ID.
std::vector<std::string> requeue_words(std::string_view array, std::string_view task);
std::vector<std::string> delay_words(std::string_view job, int64_t seconds);

}  // namespace orch::engine
