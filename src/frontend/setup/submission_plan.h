#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/submission.h"
#include "options/run_request.h"

// Makes a submission from the words of `orch submit`: the request of each job, and the engine's
// input.
namespace orch::setup {

inline constexpr int kDefaultRetries = 3;

// The options of `orch submit`.
struct SubmissionOptions {
  options::RunRequest request;
  std::string engine, folder, claim, secret;
  std::vector<std::string> engine_options;
  int retries = kDefaultRetries;
};

// Everything that is determined before anything is written or the engine is asked.
struct SubmissionPlan {
  engine::EngineKind kind = engine::EngineKind::kSlurm;
  std::string state_dir;
  std::string here, repository;  // the working directory, and the repository around it
  engine::Submission submission;
  std::vector<std::string> requests;  // the text of each issue's file
  std::vector<std::string> hashes;    // the SHA-256 of each
  std::vector<std::string> env;       // of --env, as it was given
  int64_t timeout_ms = 0;
  // Absolute, without links: the folder of --folder, "": in the state directory. For GitHub the
  // files to commit, in the repository.
  std::string folder;
  std::string text;                // the manifest or the workflow; "" for Slurm
  std::vector<std::string> notes;  // remarks for the user, a line each
};

// Whether the agents work in another place than this machine's folders, so that --cwd is not looked
// up here.
bool works_elsewhere(const SubmissionOptions& options);

// Checks everything possible before the request is complete. A usage error says what to write.
base::Status check_submission(const SubmissionOptions& options);

// Reads files that the options name, and writes none. Errors are those of a run of an issue here,
// or say what the engine cannot do.
base::Result<SubmissionPlan> plan_submission(const SubmissionOptions& options);

}  // namespace orch::setup
