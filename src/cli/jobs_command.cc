#include <unistd.h>

#include <cstdio>
#include <string>

#include "base/json.h"
#include "base/text.h"
#include "cli/job_listing.h"
#include "cli/new_command.h"
#include "setup/paths.h"
#include "ui/color.h"
#include "ui/elapsed.h"

namespace orch::cli {
namespace {

struct JobsOptions {
  std::string submission;
  std::vector<std::string> issues;
  bool cancel = false, json = false;
  ui::ColorChoice color = ui::ColorChoice::kAuto;
  std::optional<std::string> state_dir;
};

int list_all(const JobsOptions& options, const std::string& state_dir) {
  std::vector<std::string> unreadable;
  const std::vector<engine::FoundSubmission> all = engine::list_submissions(state_dir, unreadable);
  for (const std::string& line : unreadable) {
    std::fprintf(stderr, "orch: %s\n", base::printable(line).c_str());
  }
  if (options.json) {
    base::Json json = base::Json::array();
    for (const engine::FoundSubmission& each : all) json.push_back(submission_json(each));
    std::fputs(base::json_text(json).c_str(), stdout);
    return 0;
  }
  std::printf("%-40s  %-13s  %-19s  %6s\n", "SUBMISSION", "ENGINE", "SUBMITTED", "ISSUES");
  for (const engine::FoundSubmission& each : all) {
    std::printf("%-40s  %-13s  %-19s  %6zu\n", each.submission.id.c_str(),
                std::string(name(each.submission.engine)).c_str(),
                ui::local_time_text(each.submission.submitted).c_str(),
                each.submission.issues.size());
  }
  return 0;
}

int cancel(const JobsOptions& options, const engine::FoundSubmission& found) {
  const base::Result<size_t> count = engine::cancel(found, options.issues);
  if (!count) return report(count.error());
  std::fprintf(stderr, "orch: %zu %s asked to end; orch jobs %s shows when they have\n", *count,
               *count == 1 ? "job was" : "jobs were", found.submission.id.c_str());
  return 0;
}

int list_one(const JobsOptions& options, const engine::FoundSubmission& found) {
  engine::JobsNow now = engine::look_at_jobs(found);
  if (!options.issues.empty()) {
    std::erase_if(now.jobs, [&options](const engine::Job& job) {
      return std::find(options.issues.begin(), options.issues.end(), job.issue) ==
             options.issues.end();
    });
  }
  if (!now.trouble.empty()) {
    std::fprintf(stderr, "orch: the engine could not be asked, so only verdicts are known: %s\n",
                 base::printable(now.trouble).c_str());
  }
  if (options.json) {
    std::fputs(base::json_text(jobs_json(now.jobs)).c_str(), stdout);
  } else {
    std::fputs(jobs_table(now.jobs, ui::wants_color(options.color, STDOUT_FILENO)).c_str(), stdout);
  }
  return 0;
}

int jobs(const JobsOptions& options) {
  const base::Result<std::string> state_dir = setup::state_dir_of(options.state_dir);
  if (!state_dir) return report(state_dir.error());
  if (options.submission.empty()) {
    if (options.cancel)
      return report(base::usage_error("--cancel: which submission? see orch jobs"));
    return list_all(options, *state_dir);
  }
  const base::Result<engine::FoundSubmission> found =
      engine::find_submission(*state_dir, options.submission);
  if (!found) return report_no_session(found.error());
  if (const base::Status s = engine::check_issues(*found, options.issues); !s) {
    return report_no_session(s.error());
  }
  return options.cancel ? cancel(options, *found) : list_one(options, *found);
}

}  // namespace

void add_jobs_command(CLI::App& app, Chosen& chosen) {
  CommandWith<JobsOptions> command(app, chosen, "jobs", "how the jobs of orch submit stand", jobs);
  command.option("submission", command->submission,
                 "its id, or the beginning of it; last: the newest (default: list them all)");
  command.option("issues", command->issues, "of these issues alone");
  command.flag("--cancel", command->cancel, "have the engine end them");
  command.flag("--json", command->json, "as JSON");
  command.color();
  command.option("--state-dir", command->state_dir, "where submissions are kept");
  command.footer(
      "States: queued, running, completed (its verdict is 0), failed, cancelled, vanished (gone "
      "without a verdict), unknown (the engine gives no answer). Verdicts are\n"
      "those of result.json; the engine only says why there is none. A job that is cancelled gets\n"
      "SIGTERM, and ends its agent. Exit codes: 0; 4: no such submission, or an issue that is not "
      "in it.\n\n"
      "Examples:\n  orch jobs\n  orch jobs last\n"
      "  orch jobs 20261127T163000123-slurm-0a1b 42 43 --cancel\n"
      "  orch jobs last --json | jq -r '.[] | select(.job_state == \"failed\") | .issue'");
}

}  // namespace orch::cli
