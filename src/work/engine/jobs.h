#pragma once

#include <string>
#include <vector>

#include "engine/job_state.h"
#include "engine/slurm.h"
#include "engine/submission.h"

namespace orch::engine {

// All jobs of a submission, according to the engine and the files now. The engine is asked first,
// so that a job which ends during the call is seen with its verdict. `trouble` is why the engine
// could not be asked; "" if it could, or if this engine cannot be asked at all (GitHub).
struct JobsNow {
  std::vector<Job> jobs;
  std::string trouble;
};
JobsNow look_at_jobs(const FoundSubmission& found);

// Gives a part of a submission to Slurm; returns the number of its array. `variables` ("K=V") are
// added to the jobs' environment.
base::Result<std::string> submit_to_slurm(const SlurmPlan& plan, size_t part,
                                          const std::vector<std::string>& variables);
// Gives the manifest in the submission's folder to Kubernetes.
base::Status submit_to_kubernetes(const FoundSubmission& found);

// Copies a Kubernetes submission's files from its volume into the submission's folder, in the place
// of earlier copies. Takes minutes.
base::Status fetch_from_volume(const FoundSubmission& found);

// kNotFound if one of the issues is none of the submission's.
base::Status check_issues(const FoundSubmission& found, const std::vector<std::string>& issues);

// Asks the engine to end the jobs of these issues, all that are not over if there are none. Returns
// for how many it asked.
base::Result<size_t> cancel(const FoundSubmission& found, const std::vector<std::string>& issues);

// Has this process's Slurm job begin anew in so many seconds. An error if this is not a Slurm job,
// or Slurm refuses.
base::Status begin_again_in_slurm(int64_t seconds);

}  // namespace orch::engine
