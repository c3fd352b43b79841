#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/duration.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/job_listing.h"
#include "cli/run_command.h"
#include "cli/run_option_words.h"
#include "engine/call.h"
#include "engine/github.h"
#include "engine/jobs.h"
#include "engine/kubernetes.h"
#include "engine/slurm.h"
#include "options/run_option.h"
#include "session/environment.h"
#include "setup/batch_folders.h"
#include "setup/paths.h"
#include "setup/run_setup.h"
#include "store/atomic_file.h"

namespace orch::cli {
namespace {

namespace fs = std::filesystem;
using base::Result;
using base::Status;
using base::usage_error;
using engine::EngineKind;

constexpr int kDefaultRetries = 3;

struct SubmitOptions {
  options::RunRequest request;
  std::string engine, folder, claim, secret;
  std::vector<std::string> engine_options;
  int retries = kDefaultRetries;
  bool dry_run = false, json = false;
};

// All that is worked out before anything is written or asked.
struct Plan {
  EngineKind kind = EngineKind::kSlurm;
  std::string state_dir, repository;
  engine::Submission submission;
  std::vector<std::string> requests;  // the text of each issue's file
  std::vector<std::string> env;       // of --env, as it was given
  int64_t timeout_ms = 0;
  std::string folder;  // of --folder, absolute; "": in the state directory
  std::string text;    // the script, the manifest or the workflow
};

// What makes no sense for a job that somebody else starts, watches and keeps the output of.
constexpr auto kOfThisMachine =
    std::to_array<std::string_view>({"--detach", "--artifacts", "--output", "--live", "--notify",
                                     "--color", "--no-bell", "--session-manager", "--container"});

Status check_words(const SubmitOptions& options) {
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
  if (options.request.jobs < 0) return usage_error("--jobs must be at least 0");
  return base::Ok{};
}

Status check_engine_words(const SubmitOptions& options, EngineKind kind) {
  const bool in_pods = kind == EngineKind::kKubernetes;
  if (kind != EngineKind::kSlurm && options.request.image.empty()) {
    return usage_error("--engine " + options.engine +
                       ": which image has orch and the agent? name it with --image");
  }
  if (kind != EngineKind::kSlurm && options.request.sandbox != "auto" &&
      options.request.sandbox != "landlock" && options.request.sandbox != "none") {
    return usage_error("--sandbox " + options.request.sandbox +
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

// The request as it is to be planned here: that of a pod or a runner has its own image around it,
// and its variables are there, not here.
options::RunRequest planned(const options::RunRequest& request, EngineKind kind) {
  options::RunRequest here = request;
  here.jobs = 0;
  if (kind == EngineKind::kSlurm) return here;
  here.image.clear();
  here.memory.clear();
  here.cpus.clear();
  std::erase_if(here.env, [](const std::string& word) { return word.find('=') == word.npos; });
  if (kind == EngineKind::kKubernetes) here.cwd = ".";
  return here;
}

// The folder of the agent, seen from the root of the repository.
Result<std::string> way_in_repository(const std::string& cwd, const std::string& repository) {
  const Result<std::string> folder = setup::resolve_folder(cwd);
  if (!folder) return folder.error();
  return fs::path(*folder).lexically_relative(repository).string();
}

// What run.json would have recorded here, moved to where the job is.
Result<options::RunRequest> request_of_job(const SubmitOptions& options, const Plan& plan,
                                           const options::RunRequest& recorded) {
  options::RunRequest request = recorded;
  request.env.clear();
  for (const std::string& word : options.request.env) {
    request.env.push_back(word.substr(0, word.find('=')));
  }
  switch (plan.kind) {
    case EngineKind::kSlurm:
      return request;
    case EngineKind::kKubernetes:
      request.folder = "/";
      request.cwd = options.request.cwd;
      return request;
    case EngineKind::kGithubMatrix:
      request.folder.clear();
      Result<std::string> cwd = way_in_repository(options.request.cwd, plan.repository);
      if (!cwd) return cwd.error();
      request.cwd = std::move(cwd).value();
      return request;
  }
  return request;
}

Status write_requests(const SubmitOptions& options, Plan& plan) {
  // Everything is checked as it would be for a run here, with the same table and the same words.
  setup::AgentChoice choice;
  const fence::Offer everything{
      .landlock = 1, .seccomp = true, .bubblewrap = {}, .no_namespaces = {}};
  const bool is_here = plan.kind == EngineKind::kSlurm;
  const Result<setup::RunSetup> setup =
      setup::plan_run(planned(options.request, plan.kind), choice, is_here ? nullptr : &everything);
  if (!setup) return setup.error();
  for (const std::string& note : setup->notes) {
    std::fprintf(stderr, "orch: %s\n", base::printable(note).c_str());
  }
  for (size_t index = 0; index < setup->sessions.size(); ++index) {
    Result<options::RunRequest> request =
        request_of_job(options, plan, *setup->sessions[index].request);
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
    // What a job would refuse is refused here.
    if (const auto read = engine::job_request_from_json(text); !read) return read.error();
    plan.requests.push_back(std::move(text));
  }
  return base::Ok{};
}

std::vector<size_t> parts_of(size_t issues, size_t most) {
  std::vector<size_t> parts;
  for (size_t first = 0; first < issues; first += most) parts.push_back(first);
  return parts;
}

Status divide(Plan& plan) {
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

Result<std::string> manifest_of(const SubmitOptions& options, const Plan& plan) {
  return engine::kubernetes_manifest({.submission = &plan.submission,
                                      .requests = plan.requests,
                                      .timeout_ms = plan.timeout_ms,
                                      .memory = options.request.memory,
                                      .cpus = options.request.cpus,
                                      .secret = options.secret,
                                      .variables = plan.env});
}

Result<std::string> workflow_of(const Plan& plan) {
  const std::string folder = fs::path(plan.folder).lexically_relative(plan.repository).string();
  if (folder.empty() || folder.starts_with("..")) {
    return usage_error("--folder " + base::printable(plan.folder) +
                       ": a runner of GitHub has the repository alone; name a folder in it");
  }
  return engine::github_workflow({.submission = &plan.submission,
                                  .folder = folder,
                                  .variables = plan.env,
                                  .timeout_ms = plan.timeout_ms});
}

// What the engine itself is to read.
Result<std::string> text_for_engine(const SubmitOptions& options, const Plan& plan) {
  switch (plan.kind) {
    case EngineKind::kSlurm:
      return std::string(engine::slurm_script());
    case EngineKind::kKubernetes:
      return manifest_of(options, plan);
    case EngineKind::kGithubMatrix:
      return workflow_of(plan);
  }
  return std::string();
}

Result<Plan> plan_of(const SubmitOptions& options) {
  Plan plan;
  const std::optional<EngineKind> kind = engine::engine_named(options.engine);
  if (!kind) {
    return usage_error("--engine " + base::printable(options.engine) +
                       ": write slurm, kubernetes or github-matrix");
  }
  plan.kind = *kind;
  if (Status s = check_engine_words(options, *kind); !s) return s.error();
  Result<std::string> state_dir = setup::state_dir_of(options.request.state_dir);
  if (!state_dir) return state_dir.error();
  plan.state_dir = std::move(state_dir).value();
  const Result<std::string> here = setup::resolve_folder(".");
  if (!here) return here.error();
  plan.repository = setup::repository_of(*here);
  if (!options.folder.empty()) plan.folder = (fs::path(*here) / options.folder).lexically_normal();
  plan.env = options.request.env;
  const auto now = std::chrono::system_clock::now();
  plan.submission = {.id = engine::new_submission_id(*kind, now),
                     .engine = *kind,
                     .submitted = store::rfc3339_utc(now),
                     .issues = options.request.issues,
                     .jobs = options.request.jobs,
                     // GitHub begins no job anew by itself.
                     .retries = *kind == EngineKind::kGithubMatrix ? 0 : options.retries,
                     .engine_options = options.engine_options,
                     .parts = {},
                     .claim = options.claim,
                     .image = *kind == EngineKind::kSlurm ? "" : options.request.image};
  if (*kind == EngineKind::kGithubMatrix && plan.folder.empty()) {
    plan.folder = plan.repository + "/.orch/submissions/" + plan.submission.id;
  }
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

// NAME=VALUE of --env travels in the engine's environment, for the agent alone.
std::vector<std::string> variables_of(const Plan& plan) {
  std::vector<std::string> variables;
  for (const std::string& word : plan.env) {
    if (word.find('=') != word.npos) variables.push_back(std::string(session::kForAgent) + word);
  }
  return variables;
}

engine::SlurmPlan slurm_plan(const Plan& plan, const engine::SubmissionFolder& folder,
                             const std::string& orch) {
  return {.submission = &plan.submission,
          .folder = folder,
          .orch = orch,
          .timeout_ms = plan.timeout_ms,
          .after = {}};
}

// What would be given to the engine, on standard output; nothing is written.
Status print_only(const Plan& plan) {
  if (plan.kind != EngineKind::kSlurm) {
    std::fputs(plan.text.c_str(), stdout);
    return base::Ok{};
  }
  const Result<std::string> orch = setup::own_path();
  if (!orch) return orch.error();
  const engine::SubmissionFolder folder{
      plan.folder.empty() ? engine::submissions_folder(plan.state_dir) + "/" + plan.submission.id
                          : plan.folder};
  for (size_t part = 0; part < plan.submission.parts.size(); ++part) {
    const base::Json words = engine::sbatch_words(slurm_plan(plan, folder, *orch), part);
    std::printf("%s\n", base::json_line(words).c_str());
  }
  return base::Ok{};
}

Status write_text(const Plan& plan, const engine::SubmissionFolder& folder) {
  switch (plan.kind) {
    case EngineKind::kSlurm:
      return store::write_file(folder.script(), plan.text, 0700);
    case EngineKind::kKubernetes:
      return store::write_file(folder.manifest(), plan.text);
    case EngineKind::kGithubMatrix:
      if (Status s = store::write_file(folder.path + "/workflow.yml", plan.text); !s) return s;
      return store::write_file(folder.path + "/matrix.json",
                               engine::github_matrix(plan.submission));
  }
  return base::Ok{};
}

Result<engine::FoundSubmission> write_down(const Plan& plan) {
  Result<engine::SubmissionFolder> folder =
      engine::make_submission(plan.state_dir, plan.folder, plan.submission);
  if (!folder) return folder.error();
  for (size_t index = 0; index < plan.requests.size(); ++index) {
    if (Status s = store::write_file(folder->request(index), plan.requests[index]); !s) {
      return s.error();
    }
  }
  if (Status s = write_text(plan, *folder); !s) return s.error();
  return engine::FoundSubmission{plan.submission, std::move(folder).value()};
}

Status give_to_slurm(const Plan& plan, const engine::FoundSubmission& found) {
  const Result<std::string> orch = setup::own_path();
  if (!orch) return orch.error();
  std::string before;
  for (size_t part = 0; part < plan.submission.parts.size(); ++part) {
    // So that --jobs holds for all arrays together, one comes after the other.
    engine::SlurmPlan words = slurm_plan(plan, found.folder, *orch);
    if (plan.submission.jobs > 0) words.after = before;
    Result<std::string> array = engine::submit_to_slurm(words, part, variables_of(plan));
    if (!array) {
      const std::string where =
          std::to_string(part + 1) + " of " + std::to_string(plan.submission.parts.size());
      return base::Error{array.error().code, "part " + where + " of " + plan.submission.id +
                                                 " was not taken: " + array.error().text};
    }
    std::fprintf(stderr, "orch: array %s has %zu jobs\n", array->c_str(),
                 engine::part_size(plan.submission, part));
    before = std::move(array).value();
  }
  return base::Ok{};
}

Status give_away(const Plan& plan, const engine::FoundSubmission& found) {
  switch (plan.kind) {
    case EngineKind::kSlurm:
      return give_to_slurm(plan, found);
    case EngineKind::kKubernetes:
      if (plan.submission.claim.empty()) {
        std::fprintf(stderr,
                     "orch: without --claim the artifacts go with their pods; verdicts stay\n");
      }
      return engine::submit_to_kubernetes(found);
    case EngineKind::kGithubMatrix:
      std::fprintf(stderr,
                   "orch: commit %s, and its workflow.yml as .github/workflows/%s.yml; then gh "
                   "workflow run %s.yml\n",
                   base::printable(found.folder.path).c_str(), plan.submission.id.c_str(),
                   plan.submission.id.c_str());
      return base::Ok{};
  }
  return base::Ok{};
}

// Before anything is written.
Status check_engine(EngineKind kind) {
  switch (kind) {
    case EngineKind::kSlurm:
      return engine::check_program("sbatch");
    case EngineKind::kKubernetes:
      return engine::check_program("kubectl");
    case EngineKind::kGithubMatrix:
      return base::Ok{};
  }
  return base::Ok{};
}

int submit(SubmitOptions& options, const CLI::App& command) {
  if (Status s = check_words(options); !s) return report(s.error());
  if (Status s = complete_request(command, options.request); !s) return report(s.error());
  const Result<Plan> plan = plan_of(options);
  if (!plan) return report(plan.error());
  if (options.dry_run) {
    if (Status s = print_only(*plan); !s) return report(s.error());
    return 0;
  }
  if (Status s = check_engine(plan->kind); !s) return report(s.error());
  const Result<engine::FoundSubmission> found = write_down(*plan);
  if (!found) return report(found.error());
  if (Status s = give_away(*plan, *found); !s) return report(s.error());
  if (options.json) {
    std::fputs(base::json_text(submission_json(*found)).c_str(), stdout);
  } else if (plan->kind == EngineKind::kGithubMatrix) {
    std::fputs(engine::github_matrix(plan->submission).c_str(), stdout);
  } else {
    std::printf("%s\n", plan->submission.id.c_str());
  }
  return 0;
}

}  // namespace

void add_submit_command(CLI::App& app, std::vector<std::string> after_dashes, Chosen& chosen) {
  CLI::App* command =
      app.add_subcommand("submit", "give issues to Slurm, Kubernetes or GitHub, a job for each");
  auto options = std::make_shared<SubmitOptions>();
  options->request.command = std::move(after_dashes);
  command->add_option("issue", options->request.issues,
                      "issues (their texts are .orch/issues/ISSUE.md), or what to do, in quotes");
  command
      ->add_option("--engine", options->engine,
                   "who runs the jobs: slurm, kubernetes or github-matrix")
      ->required();
  command
      ->add_option("--retries", options->retries,
                   "how often an issue that ends with 75 is begun again")
      ->capture_default_str();
  command
      ->add_option("--engine-option", options->engine_options,
                   "a further option for sbatch, or for kubectl, as "
                   "--engine-option=--partition=gpu; may be repeated")
      ->allow_extra_args(false)
      ->type_name("WORD");
  command
      ->add_option("--folder", options->folder,
                   "keep requests and artifacts here; the jobs have to see it (default: in the "
                   "state directory; for GitHub: .orch/submissions in the repository)")
      ->type_name("FOLDER");
  command
      ->add_option("--claim", options->claim,
                   "Kubernetes: the PersistentVolumeClaim that gets the artifacts")
      ->type_name("NAME");
  command
      ->add_option("--secret", options->secret,
                   "Kubernetes: the Secret that has the variables of --env NAME")
      ->type_name("NAME");
  command->add_flag("--dry-run", options->dry_run, "print what the engine would be given");
  command->add_flag("--json", options->json, "the submission as JSON");
  add_run_options(*command, options::Also::kNone, options->request, kOfThisMachine);
  command->footer(
      "Each issue becomes a job that runs orch run --request FILE with these options; --jobs says\n"
      "how many run at once. Prints the submission's id: orch jobs ID, orch collect ID --wait.\n"
      "--image, --memory and --cpus are the container of the job. docs/scale.md has the limits of\n"
      "each engine. Exit codes: 0 the engine has them; 2, 125 as ever.\n\n"
      "Examples:\n"
      "  orch submit 41 42 43 --engine slurm --jobs 8 --timeout 2h --agent claude --approve all\n"
      "  orch submit 41 42 --engine kubernetes --image my/orch:1 --claim work --memory 4g "
      "--dry-run\n"
      "  orch submit 41 42 --engine github-matrix --image my/orch:1 --env ANTHROPIC_API_KEY");
  command->callback([command, options, &chosen] {
    chosen = [command, options] { return submit(*options, *command); };
  });
}

}  // namespace orch::cli
