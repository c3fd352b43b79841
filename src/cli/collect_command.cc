#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "base/duration.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/collected_artifacts.h"
#include "cli/job_listing.h"
#include "cli/new_command.h"
#include "event/exit_reason.h"
#include "setup/paths.h"
#include "ui/color.h"

namespace orch::cli {
namespace {

using std::chrono::steady_clock;

// How often to ask an engine's controller while somebody waits.
constexpr std::chrono::seconds kBetweenLooks{2}, kMostBetweenLooks{30};
// A job without a verdict counts as vanished when it is missing twice, this far apart: a network
// disk may show a file that late.
constexpr std::chrono::seconds kVanishes{5};

struct CollectOptions {
  std::string submission, artifacts, timeout;
  bool wait = false, json = false;
  ui::ColorChoice color = ui::ColorChoice::kAuto;
  std::optional<std::string> state_dir;
};

// Looks at the jobs until all are over, or time is up.
class Follow {
 public:
  Follow(const engine::FoundSubmission& found, std::optional<steady_clock::time_point> until)
      : found_(found), until_(until) {}

  // False: time was up before all were over. A job that has vanished too lately to be sure then
  // counts as unknown.
  bool run(engine::JobsNow& now) {
    std::chrono::seconds pause = kBetweenLooks;
    for (;;) {
      now = engine::look_at_jobs(found_);
      tell(now);
      const bool is_over = count_open(now.jobs) == 0;
      if (is_over && is_settled(now)) return true;
      if (is_over) pause = kBetweenLooks;
      if (until_ && steady_clock::now() >= *until_) {
        for (engine::Job& job : now.jobs) {
          if (job.state == engine::JobState::kVanished) job.state = engine::JobState::kUnknown;
        }
        return false;
      }
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 5 / 4 + std::chrono::seconds(1), kMostBetweenLooks);
    }
  }

 private:
  // Whether the vanished jobs have been missing for kVanishes.
  bool is_settled(const engine::JobsNow& now) {
    std::set<size_t> gone;
    for (const engine::Job& job : now.jobs) {
      if (job.state == engine::JobState::kVanished) gone.insert(job.index);
    }
    if (gone.empty()) return true;
    if (gone != gone_) {
      gone_ = gone;
      since_ = steady_clock::now();
    }
    return steady_clock::now() - since_ >= kVanishes;
  }

  void tell(const engine::JobsNow& now) {
    if (!now.trouble.empty() && now.trouble != told_) {
      std::fprintf(stderr, "orch: the engine could not be asked; going on: %s\n",
                   base::printable(now.trouble).c_str());
    }
    told_ = now.trouble;
    const size_t open = count_open(now.jobs);
    if (::isatty(STDERR_FILENO) == 0 || open == last_open_) return;
    last_open_ = open;
    std::fprintf(stderr, "orch: %zu of %zu jobs are over\n", now.jobs.size() - open,
                 now.jobs.size());
  }

  const engine::FoundSubmission& found_;
  std::optional<steady_clock::time_point> until_;
  std::set<size_t> gone_;
  steady_clock::time_point since_;
  std::string told_;
  std::optional<size_t> last_open_;
};

void say_left_behind(const LeftBehind& left) {
  for (const LeftBehind::File& file : left.named) {
    std::fprintf(stderr, "orch: not copied: %s: %s\n", base::printable(file.path).c_str(),
                 base::printable(file.why).c_str());
  }
  if (left.count > left.named.size()) {
    std::fprintf(stderr, "orch: not copied: %zu more\n", left.count - left.named.size());
  }
}

base::Json left_behind_json(const LeftBehind& left) {
  base::Json json = base::Json::array();
  for (const LeftBehind::File& file : left.named) {
    json.push_back(
        {{"file", base::to_valid_utf8(file.path)}, {"why", base::to_valid_utf8(file.why)}});
  }
  return json;
}

void print(const CollectOptions& options, const engine::FoundSubmission& found,
           const std::vector<engine::Job>& jobs, const LeftBehind& left, int code) {
  if (options.json) {
    base::Json json;
    json["submission"] = found.submission.id;
    json["code"] = code;
    json["open"] = count_open(jobs);
    json["artifacts"] = base::or_null(options.artifacts);
    json["left_behind"] = left_behind_json(left);
    json["jobs"] = jobs_json(jobs);
    std::fputs(base::json_text(json).c_str(), stdout);
    return;
  }
  std::fputs(jobs_table(jobs, ui::wants_color(options.color, STDOUT_FILENO)).c_str(), stdout);
}

int collect(const CollectOptions& options) {
  const base::Result<std::string> state_dir = setup::state_dir_of(options.state_dir);
  if (!state_dir) return report(state_dir.error());
  const base::Result<engine::FoundSubmission> found =
      engine::find_submission(*state_dir, options.submission);
  if (!found) return report_no_session(found.error());
  if (found->submission.engine == engine::EngineKind::kGithubMatrix) {
    return report(
        base::usage_error("GitHub keeps the verdicts of its jobs: gh run watch, and gh "
                          "run download for the artifacts"));
  }
  std::optional<steady_clock::time_point> until;
  if (!options.timeout.empty()) {
    const base::Result<int64_t> ms = base::parse_duration(options.timeout);
    if (!ms) return report(base::usage_error("--timeout " + ms.error().text));
    until = steady_clock::now() + std::chrono::milliseconds(*ms);
  }
  engine::JobsNow now;
  bool all_over = false;
  if (options.wait) {
    all_over = Follow(*found, until).run(now);
  } else {
    now = engine::look_at_jobs(*found);
    all_over = count_open(now.jobs) == 0;
    if (!now.trouble.empty()) {
      std::fprintf(stderr, "orch: the engine could not be asked: %s\n",
                   base::printable(now.trouble).c_str());
    }
  }
  const bool on_volume = !found->submission.claim.empty();
  if (on_volume && !options.artifacts.empty()) {
    if (base::Status s = engine::fetch_from_volume(*found); !s) return report(s.error());
    now = engine::look_at_jobs(*found);
  }
  int code = code_of(now.jobs);
  if (!all_over) code = options.wait ? event::exit_code(event::ExitReason::kTimeout) : kUnfinished;
  LeftBehind left;
  if (!options.artifacts.empty()) {
    base::Result<LeftBehind> brought = bring_home(options.artifacts, now.jobs);
    if (!brought) return report(brought.error());
    left = std::move(brought).value();
    say_left_behind(left);
    if (left.count > 0) code = event::exit_code(event::ExitReason::kInternal);
  }
  print(options, *found, now.jobs, left, code);
  if (!all_over) {
    std::fprintf(stderr, "orch: %zu of %zu jobs are not over; orch collect %s --wait\n",
                 count_open(now.jobs), now.jobs.size(), found->submission.id.c_str());
  }
  return code;
}

}  // namespace

void add_collect_command(CLI::App& app, Chosen& chosen) {
  CommandWith<CollectOptions> command(
      app, chosen, "collect", "the verdicts and artifacts of what orch submit gave away", collect);
  command
      .option("submission", command->submission, "its id, or the beginning of it; last: the newest")
      .required();
  command.flag("--wait", command->wait, "until all jobs are over");
  command.option("--timeout", command->timeout,
                 "with --wait: give up after this long: 90s, 10m, 2h (default: never)");
  command
      .option("--artifacts", command->artifacts,
              "copy the artifacts to FOLDER/ISSUE, and a summary.json next to them")
      .type_name("FOLDER");
  command.flag("--json", command->json, "as JSON");
  command.color();
  command.option("--state-dir", command->state_dir, "where submissions are kept");
  command.footer(
      "Exits as orch run of several issues does, by the verdicts in result.json; a job that is\n"
      "gone without one counts as 125, and never as complete. 5: not all jobs are over; 124:\n"
      "--timeout passed; 4: the submission does not exist; 125: some artifacts could not be "
      "copied, "
      "and\n"
      "are named; the others and summary.json are there, with the code of the jobs. It may be\n"
      "stopped and called again, also twice at once: it changes nothing in the submission.\n\n"
      "Examples:\n  orch collect last --wait --artifacts results\n"
      "  orch collect 20261127T163000123-slurm-0a1b --json | jq '.jobs[] | {issue, code}'");
}

}  // namespace orch::cli
