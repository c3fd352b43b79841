#include "setup/submission_plan.h"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <utility>

#include "adapters/fence_spec.h"
#include "base/duration.h"
#include "base/path.h"
#include "base/sha256.h"
#include "base/text.h"
#include "engine/github.h"
#include "engine/job_request.h"
#include "engine/kubernetes.h"
#include "engine/slurm.h"
#include "sandbox/engine.h"
#include "setup/batch_folders.h"
#include "setup/own_programs.h"
#include "setup/paths.h"
#include "setup/run_setup.h"
#include "store/time_text.h"

namespace orch::setup {
namespace {

namespace fs = std::filesystem;
using base::Result;
using base::Status;
using base::usage_error;
using engine::EngineKind;

Status check_engine_words(const SubmissionOptions& options, EngineKind kind) {
  const bool in_pods = kind == EngineKind::kKubernetes;
  if (kind != EngineKind::kSlurm && options.request.image.empty()) {
    return usage_error("--engine " + options.engine +
                       ": which image has orch and the agent? name it with --image");
  }
  const std::string& sandbox = options.request.sandbox;
  if (kind != EngineKind::kSlurm && sandbox::engine_named(sandbox)) {
    return usage_error("--sandbox " + sandbox +
                       ": the job is in a container of --image already; leave it out");
  }
  if (!in_pods && (!options.claim.empty() || !options.secret.empty())) {
    return usage_error(std::string(options.claim.empty() ? "--secret" : "--claim") +
                       " is for --engine kubernetes");
  }
  for (const std::string& word : options.request.env) {
    if (in_pods && word.find('=') == std::string::npos && options.secret.empty()) {
      return usage_error("--env " + base::printable(word) +
                         ": which Secret of the cluster has it? name it with --secret");
    }
  }
  return base::Ok{};
}

// The mount point of --claim's volume in a pod: the artifacts lie in its folder of the submission.
constexpr const char* kShare = "/orch/share";

bool is_below(const std::string& path, const std::string& folder) {
  return path != folder && base::is_within(path, folder);
}

// The folders of the agent in a pod. They are those of the image and of the volume.
Status check_pod_folders(const SubmissionOptions& options) {
  std::vector<std::string> places = options.request.write;
  places.push_back(options.request.cwd);
  for (const std::string& place : places) {
    const std::string real = fs::path(place).lexically_normal().string();
    const std::string folder =
        real.size() > 1 && real.ends_with('/') ? fs::path(real).parent_path().string() : real;
    if (!base::is_within(kShare, folder) && !is_below(folder, "/orch")) continue;
    if (is_below(folder, kShare)) continue;
    return usage_error(base::printable(place) + ": the verdicts of all jobs lie in " + kShare +
                       "; name a folder in it for the agents, as " + kShare + "/repository");
  }
  return base::Ok{};
}

// The folder of the agent on a runner: relative to the root of the repository, or in the image.
Result<std::string> way_in_repository(const std::string& cwd, const std::string& here,
                                      const std::string& repository) {
  const fs::path folder = (fs::path(here) / cwd).lexically_normal();
  std::string way = folder.lexically_relative(repository).string();
  if (way.size() > 1 && way.ends_with('/')) way.pop_back();
  if (way != ".." && !way.starts_with("../")) return way;
  if (fs::path(cwd).is_absolute()) return folder.string();
  return usage_error("--cwd " + base::printable(cwd) +
                     ": leads out of the repository, which is all that a runner of GitHub has; "
                     "name a folder in it, or the absolute path of one in the image");
}

// The request in the form that can be planned here: a pod or a runner has its own image around it,
// and its folders and variables are there, not here.
options::RunRequest planned(const options::RunRequest& request, EngineKind kind) {
  options::RunRequest here = request;
  here.jobs.reset();
  if (kind == EngineKind::kSlurm) return here;
  here.image.clear();
  here.memory.clear();
  here.cpus.clear();
  std::erase_if(here.env, [](const std::string& word) { return word.find('=') == word.npos; });
  here.cwd = ".";
  here.write.clear();
  here.read.clear();
  if (kind == EngineKind::kKubernetes) {
    here.worktree = false;
    here.shared_folder = true;
  }
  return here;
}

// The request that run.json would have recorded here, adapted to the job's place.
Result<options::RunRequest> request_of_job(const SubmissionOptions& options,
                                           const SubmissionPlan& plan,
                                           const adapters::Manifest& agent,
                                           const options::RunRequest& recorded) {
  options::RunRequest request = recorded;
  request.env.clear();
  for (const std::string& word : options.request.env) {
    request.env.push_back(word.substr(0, word.find('=')));
  }
  if (plan.kind == EngineKind::kSlurm) return request;
  request.folder.clear();  // the folder that the job begins in
  request.write = options.request.write;
  request.read = options.request.read;
  if (plan.kind == EngineKind::kKubernetes) {
    request.cwd = options.request.cwd;
    // Pods share only the volume.
    const bool shared = is_below(fs::path(request.cwd).lexically_normal().string(), kShare);
    request.worktree = options.request.worktree || (shared && would_share(options.request, agent));
    request.shared_folder = options.request.shared_folder;
    return request;
  }
  Result<std::string> cwd = way_in_repository(options.request.cwd, plan.here, plan.repository);
  if (!cwd) return cwd.error();
  request.cwd = std::move(cwd).value();
  return request;
}

// The places where the agent of a job on this machine's disks may write, fenced or not; including
// the own folders of every agent, because a later run may use another one.
std::vector<std::string> places_of_agents(const session::SessionSetup& session,
                                          const adapters::Registry& agents) {
  std::vector<std::string> places{session.cwd, session.repository};
  if (session.fence) {
    places.insert(places.end(), session.fence->write.begin(), session.fence->write.end());
  }
  for (const adapters::Manifest& agent : agents.all_and_disabled()) {
    for (const std::string& folder : agent.fence.folders) {
      const std::optional<std::string> path = adapters::expanded(
          folder, [](std::string_view name) { return environment(std::string(name).c_str()); });
      if (!path) continue;
      std::error_code failure;
      const fs::path real = fs::weakly_canonical(*path, failure);
      places.push_back(failure ? *path : real.string());
    }
  }
  return places;
}

// The files in the folder of --folder hold the verdicts, so agents must not be able to write there.
Status check_folder(const SubmissionPlan& plan, const session::SessionSetup& session,
                    const adapters::Registry& registry) {
  if (plan.folder.empty() || plan.kind == EngineKind::kGithubMatrix) return base::Ok{};
  std::string agents = base::folder_of_agents(plan.folder);
  if (plan.kind == EngineKind::kSlurm) {
    for (const std::string& place : places_of_agents(session, registry)) {
      if (agents.empty() && base::is_within(plan.folder, place)) agents = place;
    }
  }
  if (agents.empty()) return base::Ok{};
  return usage_error("--folder " + base::printable(plan.folder) + ": lies in " +
                     base::printable(agents) +
                     ", where agents may write, and could forge the verdict of any job: name a "
                     "folder outside of it, or leave --folder out");
}

Status write_requests(const SubmissionOptions& options, SubmissionPlan& plan) {
  // Everything is checked as for a run here, with the same table and the same messages.
  AgentChoice choice;
  const fence::Offer everything{
      .landlock = 1, .seccomp = true, .bubblewrap = {}, .no_namespaces = {}};
  const bool is_here = plan.kind == EngineKind::kSlurm;
  const Result<RunSetup> setup =
      prepare_run(planned(options.request, plan.kind), choice, is_here ? nullptr : &everything);
  if (!setup) return setup.error();
  plan.notes = setup->notes;
  if (Status s = check_folder(plan, setup->sessions.front(), choice.agents); !s) return s.error();
  for (size_t index = 0; index < setup->sessions.size(); ++index) {
    Result<options::RunRequest> request =
        request_of_job(options, plan, *choice.manifest, *setup->sessions[index].request);
    if (!request) return request.error();
    const engine::JobRequest job{.submission = plan.submission.id,
                                 .engine = plan.kind,
                                 .index = static_cast<int>(index),
                                 .issue = setup->sessions[index].issue,
                                 .retries = plan.submission.retries,
                                 .state_dir = is_here ? plan.state_dir : "",
                                 .request = std::move(request).value()};
    std::string text = engine::to_json(job);
    if (text.size() > engine::kMaxRequestBytes) {
      return usage_error("issue " + job.issue + " takes " + std::to_string(text.size()) +
                         " bytes, and a request has room for 4 MB: shorten its prompt");
    }
    // A request that a job would refuse is refused here.
    if (const auto read = engine::job_request_from_json(text); !read) return read.error();
    plan.hashes.push_back(base::sha256_hex(text));
    plan.requests.push_back(std::move(text));
  }
  return base::Ok{};
}

std::vector<size_t> parts_of(size_t issues, size_t most) {
  std::vector<size_t> parts;
  for (size_t first = 0; first < issues; first += most) parts.push_back(first);
  return parts;
}

Status divide(SubmissionPlan& plan) {
  const size_t issues = plan.submission.issues.size();
  switch (plan.kind) {
    case EngineKind::kSlurm:
      plan.submission.parts = parts_of(issues, engine::kMostInArray);
      return base::Ok{};
    case EngineKind::kGithubMatrix:
      plan.submission.parts = parts_of(issues, engine::kMostInMatrix);
      return base::Ok{};
    case EngineKind::kKubernetes:
      std::vector<size_t> sizes;
      for (const std::string& text : plan.requests) sizes.push_back(text.size());
      Result<std::vector<size_t>> parts = engine::kubernetes_parts(plan.submission.issues, sizes);
      if (!parts) return parts.error();
      plan.submission.parts = std::move(parts).value();
      return base::Ok{};
  }
  return base::Ok{};
}

Result<std::string> manifest_of(const SubmissionOptions& options, const SubmissionPlan& plan) {
  return engine::kubernetes_manifest({.submission = &plan.submission,
                                      .requests = plan.requests,
                                      .timeout_ms = plan.timeout_ms,
                                      .memory = options.request.memory,
                                      .cpus = options.request.cpus,
                                      .secret = options.secret,
                                      .variables = plan.env});
}

Result<std::string> workflow_of(const SubmissionPlan& plan) {
  const std::string folder = fs::path(plan.folder).lexically_relative(plan.repository).string();
  if (folder.empty() || folder.starts_with("..")) {
    return usage_error("--folder " + base::printable(plan.folder) +
                       ": a runner of GitHub has the repository alone; name a folder in it");
  }
  return engine::github_workflow({.submission = &plan.submission,
                                  .hashes = plan.hashes,
                                  .folder = folder,
                                  .variables = plan.env,
                                  .timeout_ms = plan.timeout_ms});
}

// The folder of --folder, or for GitHub the one in the repository. Links are followed now, and not
// again; one that an agent may have made is an error.
Result<std::string> folder_of(const SubmissionOptions& options, const SubmissionPlan& plan) {
  std::string named = options.folder;
  if (named.empty() && plan.kind == EngineKind::kGithubMatrix) {
    named = plan.repository + "/.orch/submissions/" + plan.submission.id;
  }
  if (named.empty()) return named;
  Result<std::string> place = place_to_be(named);
  if (!place) return usage_error("--folder " + place.error().text);
  return place;
}

// The text that the engine itself reads.
Result<std::string> text_for_engine(const SubmissionOptions& options, const SubmissionPlan& plan) {
  switch (plan.kind) {
    case EngineKind::kSlurm:
      return std::string();  // each part has its own
    case EngineKind::kKubernetes:
      return manifest_of(options, plan);
    case EngineKind::kGithubMatrix:
      return workflow_of(plan);
  }
  return std::string();
}

}  // namespace

bool works_elsewhere(const SubmissionOptions& options) {
  const std::optional<EngineKind> kind = engine::engine_named(options.engine);
  return kind && *kind != EngineKind::kSlurm;
}

Status check_submission(const SubmissionOptions& options) {
  for (const std::string& word : options.engine_options) {
    if (word.size() > 1 && word.front() == '-') continue;
    return usage_error("--engine-option " + base::printable(word) +
                       ": write an option of the engine's, as --engine-option=--partition=gpu");
  }
  if (options.request.approve == "-" || options.request.system_prompt_file == "-") {
    return usage_error("a job has no standard input: name a file in the place of -");
  }
  if (options.retries < 0 || options.retries > engine::kMostRetries) {
    return usage_error("--retries: write 0 to " + std::to_string(engine::kMostRetries));
  }
  return base::Ok{};
}

Result<SubmissionPlan> plan_submission(const SubmissionOptions& options) {
  SubmissionPlan plan;
  const std::optional<EngineKind> kind = engine::engine_named(options.engine);
  if (!kind) {
    return usage_error("--engine " + base::printable(options.engine) +
                       ": write slurm, kubernetes or github-matrix");
  }
  plan.kind = *kind;
  if (Status s = check_engine_words(options, *kind); !s) return s.error();
  if (*kind == EngineKind::kKubernetes) {
    if (Status s = check_pod_folders(options); !s) return s.error();
  }
  Result<std::string> state_dir = state_dir_of(options.request.state_dir);
  if (!state_dir) return state_dir.error();
  plan.state_dir = std::move(state_dir).value();
  Result<std::string> here = resolve_folder(".");
  if (!here) return here.error();
  plan.here = std::move(here).value();
  plan.repository = repository_of(plan.here);
  plan.env = options.request.env;
  const auto now = std::chrono::system_clock::now();
  plan.submission = {.id = engine::new_submission_id(*kind, now),
                     .engine = *kind,
                     .submitted = store::rfc3339_utc(now),
                     .issues = options.request.issues,
                     .jobs = options.request.jobs.value_or(0),
                     // GitHub never restarts a job by itself.
                     .retries = *kind == EngineKind::kGithubMatrix ? 0 : options.retries,
                     .engine_options = options.engine_options,
                     .parts = {},
                     .claim = options.claim,
                     .image = *kind == EngineKind::kSlurm ? "" : options.request.image};
  Result<std::string> folder = folder_of(options, plan);
  if (!folder) return folder.error();
  plan.folder = std::move(folder).value();
  if (Status s = write_requests(options, plan); !s) return s.error();
  if (!options.request.timeout.empty()) {
    plan.timeout_ms = base::parse_duration(options.request.timeout).value();
  }
  if (Status s = divide(plan); !s) return s.error();
  Result<std::string> text = text_for_engine(options, plan);
  if (!text) return text.error();
  plan.text = std::move(text).value();
  return plan;
}

}  // namespace orch::setup
