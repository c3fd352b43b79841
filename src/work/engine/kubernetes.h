#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/job_state.h"
#include "engine/submission.h"

// The requests to Kubernetes (1.29 and later), and the reading of its answers. Pure.
namespace orch::engine {

// The most bytes of requests in one Secret. Each Secret has a Job. A Secret may have 1 MiB, and
// etcd takes 1.5 MB at once.
inline constexpr size_t kMostInSecret = 900 << 10;
// The most issues in one Job, so that no answer about a Job's pods becomes very long.
inline constexpr size_t kMostInJob = 1'000;

// The index of the first issue of each part. An error names an issue whose request alone is too
// large; the sizes are those of the requests' texts.
base::Result<std::vector<size_t>> kubernetes_parts(const std::vector<std::string>& issues,
                                                   const std::vector<size_t>& sizes);

struct KubernetesPlan {
  const Submission* submission = nullptr;
  std::vector<std::string> requests;   // the text of each issue's request file
  int64_t timeout_ms = 0;              // of a run; 0: none
  std::string memory, cpus;            // limits, as --memory and --cpus have them; "": none
  std::string secret;                  // the Secret that has the variables given by name
  std::vector<std::string> variables;  // of --env: NAME, from the Secret, or NAME=VALUE
};
// A List of a Secret and an indexed Job for each part, as JSON. An error: a quantity is not valid.
base::Result<std::string> kubernetes_manifest(const KubernetesPlan& plan);

// kubectl's command lines. Server-side, since a client-side apply keeps a copy in an annotation,
// which has room for 256 KiB.
std::vector<std::string> apply_words(const Submission& submission, const std::string& manifest);
std::vector<std::string> get_jobs_words(const Submission& submission);
std::vector<std::string> get_pods_words(const Submission& submission);
std::vector<std::string> delete_words(const Submission& submission);

// Copies a volume's content here through a pod that only holds the volume. `name` is the pod's,
// which fetch_pod_name() makes from a unique word.
std::string fetch_pod_name(const Submission& submission, const std::string& word);
std::string fetch_manifest(const Submission& submission, const std::string& name);
std::vector<std::string> fetch_wait_words(const Submission& submission, const std::string& name);
std::vector<std::string> fetch_copy_words(const Submission& submission, const std::string& name,
                                          const std::string& to);
std::vector<std::string> fetch_end_words(const Submission& submission, const std::string& name);

// Reads the lists of Jobs and pods that these print (-o json). A pod that has ended carries its
// verdict, the beginning of result.json, as its last words (terminationMessagePath).
base::Result<EngineAnswer> read_kubernetes(const Submission& submission, std::string_view jobs,
                                           std::string_view pods);

}  // namespace orch::engine
