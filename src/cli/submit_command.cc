#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cli/job_listing.h"
#include "cli/new_command.h"
#include "cli/run_command.h"
#include "cli/run_option_words.h"
#include "engine/call.h"
#include "engine/github.h"
#include "engine/jobs.h"
#include "engine/kubernetes.h"
#include "engine/slurm.h"
#include "options/run_option.h"
#include "session/environment.h"
#include "setup/paths.h"
#include "setup/submission_plan.h"
#include "store/atomic_file.h"
#include "store/output_folder.h"

namespace orch::cli {
namespace {

using base::Result;
using base::Status;
using engine::EngineKind;

struct SubmitOptions {
  setup::SubmissionOptions job;
  bool dry_run = false, json = false;
  const CLI::App* given_by = nullptr;  // the command with the options that were given; not owned
};

// Options without a meaning for a job that somebody else starts and watches, and whose output
// somebody else keeps.
constexpr auto kOfThisMachine =
    std::to_array<std::string_view>({"--detach", "--artifacts", "--output", "--live", "--notify",
                                     "--color", "--no-bell", "--session-manager", "--container"});

// NAME=VALUE of --env travels in the engine's environment, for the agent alone.
std::vector<std::string> variables_of(const setup::SubmissionPlan& plan) {
  std::vector<std::string> variables;
  for (const std::string& word : plan.env) {
    if (word.find('=') != word.npos) variables.push_back(std::string(session::kForAgent) + word);
  }
  return variables;
}

engine::SlurmPlan slurm_plan(const setup::SubmissionPlan& plan,
                             const engine::SubmissionFolder& folder, const std::string& orch) {
  return {.submission = &plan.submission,
          .folder = folder,
          .orch = orch,
          .timeout_ms = plan.timeout_ms,
          .after = {}};
}

// Prints the engine's input on standard output; nothing is written.
Status print_only(const setup::SubmissionPlan& plan) {
  if (plan.kind != EngineKind::kSlurm) {
    std::fputs(plan.text.c_str(), stdout);
    return base::Ok{};
  }
  const Result<std::string> orch = setup::own_path();
  if (!orch) return orch.error();
  const std::string entry = engine::submissions_folder(plan.state_dir) + "/" + plan.submission.id;
  const engine::SubmissionFolder folder{.entry = entry,
                                        .path = plan.folder.empty() ? entry : plan.folder};
  for (size_t part = 0; part < plan.submission.parts.size(); ++part) {
    const base::Json words = engine::sbatch_words(slurm_plan(plan, folder, *orch), part);
    std::printf("%s\n", base::json_line(words).c_str());
  }
  return base::Ok{};
}

Status write_scripts(const setup::SubmissionPlan& plan, const engine::SubmissionFolder& folder) {
  for (size_t part = 0; part < plan.submission.parts.size(); ++part) {
    const auto first = plan.hashes.begin() + static_cast<long>(plan.submission.parts[part]);
    const auto end = first + static_cast<long>(engine::part_size(plan.submission, part));
    if (Status s = store::write_file(folder.script(part), engine::slurm_script({first, end}), 0700);
        !s) {
      return s;
    }
  }
  return base::Ok{};
}

// Writes the files to commit. The repository belongs to the agents, so this follows no link in it
// and never reads from it.
Status write_into_repository(const setup::SubmissionPlan& plan) {
  if (::access(plan.folder.c_str(), F_OK) == 0) {
    return base::usage_error("--folder " + base::printable(plan.folder) +
                             " is there already; name one that is not");
  }
  const Result<store::OutputFolder> folder = store::OutputFolder::make(plan.folder, "--folder");
  if (!folder) return folder.error();
  for (size_t index = 0; index < plan.requests.size(); ++index) {
    const std::string name = "requests/" + std::to_string(index) + ".json";
    if (Status s = folder->write(name, plan.requests[index]); !s) return s;
  }
  return folder->write("workflow.yml", plan.text);
}

Status write_text(const setup::SubmissionPlan& plan, const engine::SubmissionFolder& folder) {
  switch (plan.kind) {
    case EngineKind::kSlurm:
      return write_scripts(plan, folder);
    case EngineKind::kKubernetes:
      return store::write_file(folder.manifest(), plan.text);
    case EngineKind::kGithubMatrix:
      return store::write_file(folder.workflow(), plan.text);
  }
  return base::Ok{};
}

Result<engine::FoundSubmission> write_down(const setup::SubmissionPlan& plan) {
  const bool is_github = plan.kind == EngineKind::kGithubMatrix;
  if (is_github) {
    if (Status s = write_into_repository(plan); !s) return s.error();
  }
  Result<engine::SubmissionFolder> folder =
      engine::make_submission(plan.state_dir, is_github ? "" : plan.folder, plan.submission);
  if (!folder) return folder.error();
  for (size_t index = 0; index < plan.requests.size(); ++index) {
    if (Status s = store::write_file(folder->request(index), plan.requests[index]); !s) {
      return s.error();
    }
  }
  if (Status s = write_text(plan, *folder); !s) return s.error();
  return engine::FoundSubmission{plan.submission, std::move(folder).value()};
}

Status give_to_slurm(const setup::SubmissionPlan& plan, const engine::FoundSubmission& found) {
  const Result<std::string> orch = setup::own_path();
  if (!orch) return orch.error();
  std::string before;
  for (size_t part = 0; part < plan.submission.parts.size(); ++part) {
    // One array runs after the other, so that --jobs limits all of them together.
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

Status give_away(const setup::SubmissionPlan& plan, const engine::FoundSubmission& found) {
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
                   "orch: commit %s, and as .github/workflows/%s.yml what orch has written to %s; "
                   "then gh workflow run %s.yml\n",
                   base::printable(plan.folder).c_str(), plan.submission.id.c_str(),
                   base::printable(found.folder.workflow()).c_str(), plan.submission.id.c_str());
      return base::Ok{};
  }
  return base::Ok{};
}

// Before anything is written.
Status check_engine(const setup::SubmissionPlan& plan) {
  if (plan.kind == EngineKind::kGithubMatrix) return base::Ok{};
  const std::string program = plan.kind == EngineKind::kSlurm ? "sbatch" : "kubectl";
  std::vector<std::string> words{program};
  words.insert(words.end(), plan.submission.engine_options.begin(),
               plan.submission.engine_options.end());
  if (Status s = engine::check_call(words); !s) return s;
  return engine::check_program(program);
}

// A folder of a pod or a runner is not looked for on this machine.
Status complete(const CLI::App& command, SubmitOptions& options) {
  std::string& cwd = options.job.request.cwd;
  const std::string there = setup::works_elsewhere(options.job) ? std::exchange(cwd, ".") : "";
  Status done = complete_request(command, options.job.request);
  if (!there.empty() && cwd == ".") cwd = there;
  return done;
}

int submit(SubmitOptions& options) {
  if (Status s = setup::check_submission(options.job); !s) return report(s.error());
  if (Status s = complete(*options.given_by, options); !s) return report(s.error());
  const Result<setup::SubmissionPlan> plan = setup::plan_submission(options.job);
  if (!plan) return report(plan.error());
  for (const std::string& note : plan->notes) {
    std::fprintf(stderr, "orch: %s\n", base::printable(note).c_str());
  }
  if (options.dry_run) {
    if (Status s = print_only(*plan); !s) return report(s.error());
    return 0;
  }
  if (Status s = check_engine(*plan); !s) return report(s.error());
  const Result<engine::FoundSubmission> found = write_down(*plan);
  if (!found) return report(found.error());
  if (Status s = give_away(*plan, *found); !s) return report(s.error());
  if (options.json) {
    std::fputs(base::json_text(submission_json(*found)).c_str(), stdout);
  } else if (plan->kind == EngineKind::kGithubMatrix) {
    std::fputs(engine::github_matrix(plan->submission, plan->hashes).c_str(), stdout);
  } else {
    std::printf("%s\n", plan->submission.id.c_str());
  }
  return 0;
}

}  // namespace

void add_submit_command(CLI::App& app, std::vector<std::string> after_dashes, Chosen& chosen) {
  CommandWith<SubmitOptions> command(
      app, chosen, "submit", "give issues to Slurm, Kubernetes or GitHub, a job for each", submit);
  command->given_by = &command.app();
  command->job.request.command = std::move(after_dashes);
  command.option("issue", command->job.request.issues,
                 "issues (their texts are .orch/issues/ISSUE.md), or what to do, in quotes");
  command
      .option("--engine", command->job.engine,
              "who runs the jobs: slurm, kubernetes or github-matrix")
      .required();
  command
      .option("--retries", command->job.retries,
              "how often an issue that ends with 75 is begun again")
      .show_default();
  command
      .option("--engine-option", command->job.engine_options,
              "a further option for sbatch, or for kubectl, as "
              "--engine-option=--partition=gpu; may be repeated")
      .one_word()
      .type_name("WORD");
  command
      .option("--folder", command->job.folder,
              "keep requests and artifacts here, outside of where agents write; the jobs have "
              "to see it (default: in the state directory; for GitHub what is to be committed: "
              ".orch/submissions in the repository)")
      .type_name("FOLDER");
  command
      .option("--claim", command->job.claim,
              "Kubernetes: the PersistentVolumeClaim that gets the artifacts")
      .type_name("NAME");
  command
      .option("--secret", command->job.secret,
              "Kubernetes: the Secret that has the variables of --env NAME")
      .type_name("NAME");
  command.flag("--dry-run", command->dry_run, "print what the engine would be given");
  command.flag("--json", command->json, "the submission as JSON");
  add_run_options(command, options::Also::kNone, command->job.request, kOfThisMachine);
  command.footer(
      "Each issue becomes a job that runs orch run --request FILE with these options; --jobs says\n"
      "how many run at once. Prints the submission's id: orch jobs ID, orch collect ID --wait.\n"
      "--image, --memory and --cpus are the container of the job. docs/scale.md has the limits of\n"
      "each engine. Exit codes: 0 the engine has them; 2, 125 as ever.\n\n"
      "Examples:\n"
      "  orch submit 41 42 43 --engine slurm --jobs 8 --timeout 2h --agent claude --approve all\n"
      "  orch submit 41 42 --engine kubernetes --image my/orch:1 --claim work --memory 4g "
      "--dry-run\n"
      "  orch submit 41 42 --engine github-matrix --image my/orch:1 --env ANTHROPIC_API_KEY");
}

}  // namespace orch::cli
