#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "options/run_request.h"

// `orch run` on engines that others own: Slurm, Kubernetes, GitHub Actions. This module translates
// requests and reads the engines' answers; the engines decide which job runs where and when.
namespace orch::engine {

enum class EngineKind : uint8_t { kSlurm, kKubernetes, kGithubMatrix };
std::string_view name(EngineKind kind);  // "slurm", "kubernetes", "github-matrix"
std::optional<EngineKind> engine_named(std::string_view name);

// The task of one job of a submission: the file that `orch run --request` reads.
struct JobRequest {
  std::string submission;  // its id
  EngineKind engine = EngineKind::kSlurm;
  int index = 0;  // of the issue among the submission's
  std::string issue;
  int retries = 0;              // how often a run that ends with 75 is begun again
  std::string state_dir;        // where the job keeps its runs; "": where orch finds it there
  options::RunRequest request;  // as run.json records it: of --env only the names
  bool operator==(const JobRequest&) const = default;
};

inline constexpr size_t kMaxRequestBytes = 4 << 20;  // of a file that is read
inline constexpr int kMostRetries = 100;

std::string to_json(const JobRequest& job);
// Takes no member that it does not know, so that no file can ask for more than the options of
// `orch run` do. Errors are usage errors of one line.
base::Result<JobRequest> job_request_from_json(std::string_view text);

// Reads a job's request file, which decides what the job runs. It must be a regular file, not a
// link, whose content has the hash `sha256`. Without a hash it must belong to this user or to root,
// and neither another user nor an agent may be able to write it. An error names the path and the
// remedy.
base::Result<JobRequest> read_job_request(const std::string& path,
                                          const std::optional<std::string>& sha256 = {});

}  // namespace orch::engine
