#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/submission.h"

// A submission as a matrix of GitHub Actions. Pure.
namespace orch::engine {

// The most jobs that a matrix may make (docs.github.com, usage limits).
inline constexpr size_t kMostInMatrix = 256;

// {"matrix": [{"include": [{"index": 0, "issue": "42", "sha256": "..."}, ...]}, ...]}: one for each
// part, as `strategy: matrix` takes it. `hashes` are the SHA-256 of the issues' requests.
std::string github_matrix(const Submission& submission, const std::vector<std::string>& hashes);

struct GithubPlan {
  const Submission* submission = nullptr;
  std::vector<std::string> hashes;     // as above
  std::string folder;                  // of the submission, relative to the repository's root
  std::vector<std::string> variables;  // names of the secrets that the agent gets
  int64_t timeout_ms = 0;
};
// The workflow that runs the matrix. Text from outside is the value of a variable in it, and never
// a part of a shell's text. A job carries out the request of its hash, and no other. An error names
// the text that cannot be a part of a workflow at all.
base::Result<std::string> github_workflow(const GithubPlan& plan);

}  // namespace orch::engine
