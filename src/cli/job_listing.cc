#include "cli/job_listing.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "event/exit_reason.h"
#include "ui/elapsed.h"

namespace orch::cli {
namespace {

using engine::Job;
using engine::JobState;

ui::Color color_of(JobState state) {
  switch (state) {
    case JobState::kQueued:
    case JobState::kRunning:
      return ui::Color::kPlain;
    case JobState::kCompleted:
      return ui::Color::kGreen;
    case JobState::kFailed:
    case JobState::kVanished:
      return ui::Color::kRed;
    case JobState::kCancelled:
    case JobState::kUnknown:
      return ui::Color::kYellow;
  }
  return ui::Color::kPlain;
}

std::string first_line(const std::string& text) {
  return base::printable(text.substr(0, text.find('\n')));
}

}  // namespace

base::Json jobs_json(const std::vector<Job>& jobs) {
  base::Json all = base::Json::array();
  for (const Job& job : jobs) {
    const bool told = !job.reason.empty();
    base::Json json;
    json["index"] = job.index;
    json["issue"] = job.issue;
    json["job_state"] = name(job.state);
    json["reason"] = base::or_null(job.reason);
    json["code"] = told ? base::Json(job.code) : base::Json();
    json["detail"] = told ? base::Json(job.detail) : base::Json();
    json["run"] = base::or_null(job.run);
    json["ms"] = base::or_null(job.ms);
    json["turns"] = base::or_null(job.turns);
    json["attempts"] = job.attempts;
    json["engine_state"] = base::or_null(job.engine_word);
    json["artifacts"] = base::or_null(job.artifacts);
    all.push_back(std::move(json));
  }
  return all;
}

std::string jobs_table(const std::vector<Job>& jobs, bool in_color) {
  size_t issue_width = std::string_view("ISSUE").size();
  for (const Job& job : jobs) issue_width = std::max(issue_width, job.issue.size());
  std::string table =
      fmt::format("{:<{}}  {:<10} {:<14} {:>4} {:>8} {:>8}  {}\n", "ISSUE", issue_width, "STATE",
                  "REASON", "CODE", "ATTEMPTS", "TIME", "DETAIL");
  for (const Job& job : jobs) {
    const bool told = !job.reason.empty();
    const std::string state =
        ui::colored(fmt::format("{:<10}", name(job.state)), color_of(job.state), in_color);
    std::string line = fmt::format(
        "{:<{}}  {} {:<14} {:>4} {:>8} {:>8}  {}", job.issue, issue_width, state,
        told ? job.reason : "-", told ? std::to_string(job.code) : "-", job.attempts,
        job.ms ? ui::elapsed_text(*job.ms) : "-",
        told && job.code != 0 ? first_line(job.detail) : base::printable(job.engine_why));
    line.erase(line.find_last_not_of(' ') + 1);
    table += line + "\n";
  }
  return table;
}

base::Json submission_json(const engine::FoundSubmission& found) {
  base::Json json;
  json["submission"] = found.submission.id;
  json["engine"] = name(found.submission.engine);
  json["submitted"] = found.submission.submitted;
  json["issues"] = found.submission.issues;
  json["jobs"] = found.submission.jobs;
  json["retries"] = found.submission.retries;
  json["parts"] = found.submission.parts.size();
  json["folder"] = found.folder.path;
  return json;
}

int code_of(const std::vector<Job>& jobs) {
  std::vector<int> codes;
  for (const Job& job : jobs) {
    if (engine::is_over(job.state)) codes.push_back(job.code);
  }
  return event::combined_exit_code(codes);
}

size_t count_open(const std::vector<Job>& jobs) {
  return static_cast<size_t>(std::count_if(
      jobs.begin(), jobs.end(), [](const Job& job) { return !engine::is_over(job.state); }));
}

}  // namespace orch::cli
