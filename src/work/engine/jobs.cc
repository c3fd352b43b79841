#include "engine/jobs.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/log.h"
#include "base/random.h"
#include "base/text.h"
#include "engine/call.h"
#include "engine/kubernetes.h"
#include "store/atomic_file.h"

namespace orch::engine {
namespace {

constexpr pty::ToolLimits kAccountingLimits{.patience_ms = 20'000, .bytes = 16 << 20};
// A pod takes some 8 kB of JSON, and there may be 10,000 of them.
constexpr pty::ToolLimits kListLimits{.patience_ms = 60'000, .bytes = 128 << 20};
constexpr size_t kMostInCall = 500;  // ids in one command line

bool lives(const EngineJob& job) {
  return job.state == EngineState::kRuns || job.state == EngineState::kWaits;
}

// Of jobs with the same index, keeps the last one listed; but an ended one does not replace a
// live one.
void merge(std::map<size_t, EngineJob>& into, const std::vector<EngineJob>& jobs) {
  for (const EngineJob& job : jobs) {
    const auto [at, is_new] = into.emplace(job.index, job);
    if (!is_new && (lives(job) || !lives(at->second))) at->second = job;
  }
}

EngineAnswer ask_slurm(const Submission& submission, std::string& trouble) {
  const base::Result<std::string> queue = call(squeue_words(submission));
  if (!queue) {
    trouble = queue.error().text;
    return {};
  }
  std::map<size_t, EngineJob> known;
  const std::vector<EngineJob> now = read_squeue(submission, *queue);
  if (now.size() < submission.issues.size()) {
    // Without accounting this fails, and the files decide.
    const base::Result<std::string> past = call(sacct_words(submission), {}, kAccountingLimits);
    if (past) merge(known, read_sacct(submission, *past));
  }
  for (const EngineJob& job : now) known.erase(job.index);
  merge(known, now);
  EngineAnswer answer{.asked = true, .jobs = {}};
  for (const auto& [index, job] : known) answer.jobs.push_back(job);
  return answer;
}

EngineAnswer ask_kubernetes(const Submission& submission, std::string& trouble) {
  const base::Result<std::string> jobs = call(get_jobs_words(submission), {}, kListLimits);
  const base::Result<std::string> pods =
      jobs ? call(get_pods_words(submission), {}, kListLimits) : jobs;
  if (!pods) {
    trouble = pods.error().text;
    return {};
  }
  base::Result<EngineAnswer> answer = read_kubernetes(submission, *jobs, *pods);
  if (!answer) {
    trouble = answer.error().text;
    return {};
  }
  return std::move(answer).value();
}

EngineAnswer ask(const Submission& submission, std::string& trouble) {
  switch (submission.engine) {
    case EngineKind::kSlurm:
      return ask_slurm(submission, trouble);
    case EngineKind::kKubernetes:
      return ask_kubernetes(submission, trouble);
    case EngineKind::kGithubMatrix:
      return {};
  }
  return {};
}

const EngineJob* job_of(const EngineAnswer& answer, size_t index) {
  const auto at = std::find_if(answer.jobs.begin(), answer.jobs.end(),
                               [index](const EngineJob& job) { return job.index == index; });
  return at == answer.jobs.end() ? nullptr : &*at;
}

std::string own_variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread writes it
  return value == nullptr ? "" : value;
}

}  // namespace

JobsNow look_at_jobs(const FoundSubmission& found) {
  JobsNow now;
  const EngineAnswer answer = ask(found.submission, now.trouble);
  for (size_t index = 0; index < found.submission.issues.size(); ++index) {
    const std::string artifacts = artifacts_of(found.submission, found.folder, index);
    const EngineJob* job = job_of(answer, index);
    EngineJob cancelled{
        .index = index, .id = {}, .state = EngineState::kCancelled, .word = {}, .why = {}};
    const bool lives =
        job != nullptr && (job->state == EngineState::kRuns || job->state == EngineState::kWaits);
    if (!lives && ::access(found.folder.cancelled(index).c_str(), F_OK) == 0) {
      if (job != nullptr) cancelled.word = job->word;
      job = &cancelled;
    }
    IssueFiles files = artifacts.empty() ? IssueFiles{} : look_at(artifacts);
    // A pod's own last words come from the engine, and go before a file on a volume that other jobs
    // may also write.
    if (job != nullptr && job->verdict) {
      files.attempts = std::max(files.attempts, 1);
      if (!files.verdict) files.verdict = files.result_of = files.attempts;
      files.result = job->verdict;
    }
    now.jobs.push_back(
        judge_job(index, found.submission.issues[index], artifacts, files, answer, job));
  }
  return now;
}

base::Result<std::string> submit_to_slurm(const SlurmPlan& plan, size_t part,
                                          const std::vector<std::string>& variables) {
  const base::Result<std::string> said = call(sbatch_words(plan, part), variables);
  if (!said) return said.error();
  return array_number(*said);
}

base::Status submit_to_kubernetes(const FoundSubmission& found) {
  const base::Result<std::string> said =
      call(apply_words(found.submission, found.folder.manifest()));
  if (!said) return said.error();
  return base::Ok{};
}

namespace {

// `kubectl cp` of a whole volume.
constexpr pty::ToolLimits kCopyLimits{.patience_ms = 30 * 60'000, .bytes = 16 << 20};
// More than kubectl itself waits for it.
constexpr pty::ToolLimits kPodLimits{.patience_ms = 330'000, .bytes = 16 << 20};
constexpr size_t kPodWord = 8;  // letters at the end of its name

base::Status copy_from_pod(const FoundSubmission& found, const std::string& pod,
                           const std::string& to) {
  const Submission& submission = found.submission;
  const std::string manifest = found.folder.entry + "/" + pod + ".json";
  if (base::Status s = store::write_file(manifest, fetch_manifest(submission, pod)); !s) return s;
  base::Result<std::string> said = call(apply_words(submission, manifest));
  ::unlink(manifest.c_str());
  if (said) said = call(fetch_wait_words(submission, pod), {}, kPodLimits);
  if (said) said = call(fetch_copy_words(submission, pod, to), {}, kCopyLimits);
  const base::Result<std::string> ended = call(fetch_end_words(submission, pod));
  if (!ended) base::log_warn("engine", ended.error().text);
  if (!said) return said.error();
  return base::Ok{};
}

}  // namespace

base::Status fetch_from_volume(const FoundSubmission& found) {
  namespace fs = std::filesystem;
  const std::string word = base::random_hex().substr(0, kPodWord);
  const std::string fresh = found.folder.share() + "-" + word;
  std::error_code failure;
  base::Status copied = copy_from_pod(found, fetch_pod_name(found.submission, word), fresh);
  if (copied) {
    fs::remove_all(found.folder.share(), failure);
    fs::rename(fresh, found.folder.share(), failure);
    // Another orch collect may have been faster, with the same files.
    if (failure && !fs::exists(found.folder.share())) {
      copied = base::system_error("rename " + base::printable(fresh), failure.value());
    }
  }
  fs::remove_all(fresh, failure);
  return copied;
}

namespace {

bool is_meant(const Submission& submission, const std::vector<std::string>& issues, size_t index) {
  return issues.empty() ||
         std::find(issues.begin(), issues.end(), submission.issues[index]) != issues.end();
}

base::Status mark_cancelled(const FoundSubmission& found, const std::vector<std::string>& issues) {
  for (size_t index = 0; index < found.submission.issues.size(); ++index) {
    if (!is_meant(found.submission, issues, index)) continue;
    if (base::Status s = store::write_file(found.folder.cancelled(index), ""); !s) return s;
  }
  return base::Ok{};
}

base::Result<size_t> cancel_in_slurm(const Submission& submission,
                                     const std::vector<std::string>& issues) {
  std::string trouble;
  const EngineAnswer answer = ask_slurm(submission, trouble);
  if (!answer.asked) return base::Error{base::ErrorCode::kSystem, trouble};
  std::vector<std::string> ids;
  for (const EngineJob& job : answer.jobs) {
    const bool lives = job.state == EngineState::kRuns || job.state == EngineState::kWaits;
    if (lives && is_meant(submission, issues, job.index)) ids.push_back(job.id);
  }
  for (size_t at = 0; at < ids.size(); at += kMostInCall) {
    const auto first = ids.begin() + static_cast<long>(at);
    const auto end = ids.begin() + static_cast<long>(std::min(ids.size(), at + kMostInCall));
    const base::Result<std::string> said = call(scancel_words({first, end}));
    if (!said) return said.error();
  }
  return ids.size();
}

}  // namespace

base::Status check_issues(const FoundSubmission& found, const std::vector<std::string>& issues) {
  const std::vector<std::string>& all = found.submission.issues;
  for (const std::string& issue : issues) {
    if (std::find(all.begin(), all.end(), issue) != all.end()) continue;
    return base::Error{
        base::ErrorCode::kNotFound,
        "issue " + base::printable(issue) + " is none of submission " + found.submission.id};
  }
  return base::Ok{};
}

base::Result<size_t> cancel(const FoundSubmission& found, const std::vector<std::string>& issues) {
  const Submission& submission = found.submission;
  if (base::Status s = check_issues(found, issues); !s) return s.error();
  switch (submission.engine) {
    case EngineKind::kGithubMatrix:
      return base::usage_error("a workflow is cancelled where it runs: gh run cancel");
    case EngineKind::kKubernetes:
      if (!issues.empty()) {
        return base::usage_error(
            "Kubernetes ends the indexes of a Job together; leave the issues out");
      }
      if (const base::Result<std::string> said = call(delete_words(submission)); !said) {
        return said.error();
      }
      if (base::Status s = mark_cancelled(found, issues); !s) return s.error();
      return submission.issues.size();
    case EngineKind::kSlurm:
      base::Result<size_t> count = cancel_in_slurm(submission, issues);
      if (!count) return count;
      if (base::Status s = mark_cancelled(found, issues); !s) return s.error();
      return count;
  }
  return size_t{0};
}

base::Status begin_again_in_slurm(int64_t seconds) {
  const std::string job = own_variable("SLURM_JOB_ID"), array = own_variable("SLURM_ARRAY_JOB_ID"),
                    task = own_variable("SLURM_ARRAY_TASK_ID");
  if (!base::is_number(job) || !base::is_number(array) || !base::is_number(task)) {
    return base::usage_error("this is not a job of Slurm's, so nobody begins it again");
  }
  // Slurm ends the job that it is to begin anew; the second command has to come through before
  // that.
  std::signal(SIGTERM, SIG_IGN);
  const base::Result<std::string> again = call(requeue_words(array, task));
  if (!again) return again.error();
  // If Slurm does not take the time, the next attempt comes sooner, and waits by itself.
  const base::Result<std::string> delayed = call(delay_words(job, seconds));
  if (!delayed) base::log_warn("engine", delayed.error().text);
  return base::Ok{};
}

}  // namespace orch::engine
