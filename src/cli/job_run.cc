#include "cli/job_run.h"

#include <fcntl.h>

#include <csignal>
#include <cstdio>
#include <utility>

#include "base/json.h"
#include "base/path.h"
#include "base/text.h"
#include "ci/surfaces.h"
#include "cli/command.h"
#include "cli/run_command.h"
#include "engine/attempt.h"
#include "engine/job_request.h"
#include "engine/jobs.h"
#include "options/run_option.h"
#include "setup/own_programs.h"
#include "setup/paths.h"
#include "setup/recorded_request.h"
#include "store/file_io.h"
#include "store/runs.h"

namespace orch::cli {
namespace {

using engine::Attempt;
using engine::AttemptResult;

const int kTerminated = event::exit_code(event::ExitReason::kTerminated);
// Between two attempts, if the end of the limit is unknown.
constexpr int64_t kRetrySeconds = 60;
// Where a container of Kubernetes leaves its last words, which may have 4 KiB.
constexpr const char* kLastWords = "/dev/termination-log";
constexpr size_t kMostDetail = 1024;

// Options allowed next to --request: they say where the output goes, not what the run is.
bool may_stand(const options::RunOption& option) {
  const std::string_view name = long_name(option);
  return option.record == nullptr && name != "--prompt" && name != "--prompt-file" &&
         name != "--jobs" && name != "--detach";
}

base::Status check_line(const std::set<std::string>& given, const options::RunRequest& line) {
  if (!line.issues.empty() || !line.command.empty()) {
    return base::usage_error("--request says which issue it is: leave out " +
                             base::printable(line.issues.empty() ? "--" : line.issues.front()));
  }
  for (const std::string& name : given) {
    const options::RunOption* option = options::find_run_option(name);
    if (option == nullptr || may_stand(*option)) continue;
    return base::usage_error("--request has the options of the run: leave out " + name);
  }
  return base::Ok{};
}

base::Result<options::RunRequest> request_of(const engine::JobRequest& job, const std::string& file,
                                             const options::RunRequest& line) {
  options::RunRequest request = job.request;
  const setup::RequestOf of{.what = "--request " + base::printable(file),
                            .again = "orch run --request " + base::printable(file)};
  if (base::Status s = setup::take_place_of(request, of); !s) return s.error();
  request.issues = {job.issue};
  for (const options::RunOption& option : options::run_options()) {
    if (may_stand(option)) copy_value(option, line, request);
  }
  if (!request.state_dir && !job.state_dir.empty()) request.state_dir = job.state_dir;
  if (!request.prompt) request.prompt.emplace();
  return request;
}

// The verdict must not be written to a place where this job's agent may write.
base::Status check_verdict_place(const options::RunRequest& request) {
  std::vector<std::string> places = request.write;
  places.push_back(request.cwd);
  for (const std::string& place : places) {
    const base::Result<std::string> real = setup::place_to_be(place);
    if (!real || !base::is_within(request.artifacts, *real)) continue;
    return base::usage_error(
        "--artifacts " + base::printable(request.artifacts) + ": lies in " +
        base::printable(*real) +
        ", where the agent of this job may write, and could forge its verdict: "
        "name a folder outside of it");
  }
  return base::Ok{};
}

// The run that an attempt continues, in the same worktree; "" if there is none.
std::string earlier_run(const Attempt& attempt, const engine::JobRequest& job,
                        const std::optional<std::string>& state_dir) {
  if (attempt.before().attempts == 0) return "";
  if (attempt.before().result && !attempt.before().result->run.empty()) {
    return attempt.before().result->run;
  }
  const base::Result<std::string> folder = setup::state_dir_of(state_dir);
  std::string newest;
  if (!folder) return newest;
  const base::Result<std::vector<store::RunFolder>> runs = store::run_folders(*folder);
  for (const store::RunFolder& run : runs ? *runs : std::vector<store::RunFolder>()) {
    if (run.issue == job.issue) newest = run.id;
  }
  return newest;
}

// Leaves the verdict where Kubernetes reads it. A failure only loses a shortcut to it.
void leave_last_words(const engine::JobRequest& job, const AttemptResult& result) {
  if (job.engine != engine::EngineKind::kKubernetes) return;
  base::Json json;
  json["reason"] = result.reason;
  json["code"] = result.code;
  json["detail"] = base::beginning(result.detail, kMostDetail);
  json["run"] = base::or_null(result.run);
  json["ms"] = base::or_null(result.ms);
  json["turns"] = base::or_null(result.turns);
  const base::Fd file(::open(kLastWords, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC));
  if (file.valid()) (void)store::write_all(file, kLastWords, base::json_line(json));
}

void say(const engine::JobRequest& job, const std::string& line) {
  std::fprintf(stderr, "orch: issue %s: %s\n", job.issue.c_str(), base::printable(line).c_str());
}

int tell_told(const engine::JobRequest& job, const engine::IssueFiles& files) {
  if (!files.result) {
    return report({base::ErrorCode::kSystem, "issue " + job.issue + ": attempt " +
                                                 std::to_string(files.verdict.value_or(0)) +
                                                 " reported a verdict, which cannot be read"});
  }
  say(job, "attempt " + std::to_string(files.result_of) +
               " has reported the verdict: " + files.result->reason);
  leave_last_words(job, *files.result);
  return files.result->code;
}

// Has the engine restart the job, if its exit code alone does not.
bool will_begin_again(const engine::JobRequest& job, const AttemptResult& result) {
  if (job.engine != engine::EngineKind::kSlurm) {
    return job.engine == engine::EngineKind::kKubernetes;
  }
  const int64_t seconds =
      result.retry_after_ms ? (*result.retry_after_ms + 999) / 1000 : kRetrySeconds;
  const base::Status again = engine::begin_again_in_slurm(seconds);
  if (again) {
    say(job, "it is begun again in " + std::to_string(seconds) + " s");
  } else {
    say(job, "it is not begun again: " + again.error().text);
  }
  return again.ok();
}

// Called once for each issue. `code` is the run's.
int conclude(const engine::JobRequest& job, const std::string& artifacts, const Attempt& attempt,
             int code) {
  const std::optional<AttemptResult> result = attempt.result();
  const bool is_last =
      !result || engine::is_verdict(*result, attempt.before().limited, job.retries);
  if (!is_last && result->code == kTerminated) return code;
  if (!is_last && will_begin_again(job, *result)) return code;
  const base::Result<bool> first = attempt.publish();
  if (!first) return report(first.error());
  if (!*first) return tell_told(job, engine::look_at(artifacts));
  leave_last_words(job, *result);
  return code;
}

int run_attempt(const engine::JobRequest& job, options::RunRequest request,
                setup::Diagnostics& diagnostics) {
  const std::string artifacts = request.artifacts;
  Attempt attempt(artifacts);
  const base::Result<Attempt::Begin> begin =
      attempt.begin([&job](const std::string& line) { say(job, line); });
  if (!begin) return report(begin.error());
  switch (*begin) {
    case Attempt::Begin::kTold:
      return tell_told(job, attempt.before());
    case Attempt::Begin::kStopped:
      return kTerminated;
    case Attempt::Begin::kRun:
      break;
  }
  request.artifacts = attempt.folder();
  request.parent = earlier_run(attempt, job, request.state_dir);
  int code = event::exit_code(event::ExitReason::kInternal);
  const int without_end = attempt.before().attempts - attempt.before().limited;
  if (without_end < Attempt::kMostBegun) {
    code = start_run(request, diagnostics);
  } else {
    const base::Error error{
        base::ErrorCode::kSystem,
        "it was begun " + std::to_string(without_end) + " times without a verdict; it is given up"};
    const base::Result<ci::CiSurfaces> surfaces = ci::CiSurfaces::prepare(request.artifacts);
    if (surfaces) surfaces->publish_refused(error);
    code = report(error);
  }
  // The rest takes milliseconds, and must not lose a verdict that was earned.
  std::signal(SIGTERM, SIG_IGN);
  return conclude(job, artifacts, attempt, code);
}

}  // namespace

int run_job(const JobFile& file, const std::set<std::string>& given,
            const options::RunRequest& line, setup::Diagnostics& diagnostics) {
  if (base::Status s = check_line(given, line); !s) return report(s.error());
  const base::Result<engine::JobRequest> job = engine::read_job_request(file.path, file.sha256);
  if (!job) return report(job.error());
  options::RunRequest beside = line;
  if (!line.artifacts.empty()) {  // before the working directory changes
    base::Result<std::string> place = setup::place_for_output(line.artifacts);
    if (!place) return report(place.error());
    beside.artifacts = std::move(place).value();
  }
  base::Result<options::RunRequest> request = request_of(*job, file.path, beside);
  if (!request) return report(request.error());
  if (request->artifacts.empty()) return start_run(*request, diagnostics);
  if (base::Status s = check_verdict_place(*request); !s) return report(s.error());
  return run_attempt(*job, std::move(request).value(), diagnostics);
}

}  // namespace orch::cli
