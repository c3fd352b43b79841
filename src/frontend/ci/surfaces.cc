#include "ci/surfaces.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>

#include "base/json.h"
#include "base/random.h"
#include "base/text.h"
#include "ci/run_report.h"
#include "ci/trajectory.h"
#include "event/question.h"
#include "mask/text.h"
#include "report/junit.h"
#include "report/records.h"
#include "store/file_io.h"
#include "store/issue_name.h"
#include "store/output.h"
#include "store/runs.h"
#include "ui/github.h"
#include "ui/runner_guard.h"
#include "ui/standard_streams.h"
#include "ui/step_summary.h"
#include "ui/summary.h"

namespace orch::ci {
namespace {

using base::Status;
using Masked = std::shared_ptr<const mask::Secrets>;

constexpr size_t kMostFileBytes = size_t{1} << 29;

void warn(const base::Error& error) {
  const std::string text = base::printable(error.text);
  std::fprintf(stderr, "orch: %s\n", text.c_str());
  if (ui::runner_here() == ui::Runner::kGithub) ui::tell_runner(ui::github::warning(text));
}

void check(const Status& status) {
  if (!status) warn(status.error());
}

std::string own_variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread writes it
  return value == nullptr ? "" : value;
}

std::string content_of(const std::string& path) {
  base::Result<std::string> text = store::read_file(path, kMostFileBytes);
  return text ? std::move(text).value() : "";
}

std::string run_folder(const host::Ended& ended, const std::string& state_dir) {
  return ended.result ? state_dir + "/runs/" + ended.result->run : "";
}

std::string result_json(std::string_view reason, int code, const std::string& detail) {
  base::Json json;
  json["reason"] = reason;
  json["code"] = code;
  json["detail"] = detail;
  return base::json_text(json);
}

report::JunitRun junit_run(const host::Ended& ended, std::string_view events) {
  report::JunitRun run;
  run.name = store::session_name(ended.issue);
  run.code = ended.code;
  run.reason = ui::reason_of(ended);
  run.detail = ui::detail_of(ended);
  run.events = events;
  if (!ended.result) return run;
  run.started = ended.result->started;
  run.duration_ms = ended.result->duration_ms;
  return run;
}

// Writes the files of one run; `prefix` is "", or the issue's folder with a slash.
class RunArtifacts {
 public:
  RunArtifacts(const store::OutputFolder& folder, std::string prefix, const Masked& secrets)
      : folder_(folder), prefix_(std::move(prefix)), secrets_(secrets) {}

  // The run's files were masked when they were written; this masks secrets that were complete only
  // later.
  void write(std::string_view name, const std::string& text) {
    check(folder_.write(prefix_ + std::string(name), mask::masked(secrets_, text)));
  }

  // Copies a file of the run; false if there is none of that name.
  bool take(const std::string& run, const std::string& name) {
    const base::Result<std::string> text = store::read_file(run + "/" + name, kMostFileBytes);
    if (text) write(name, *text);
    return text.ok();
  }

  void take_all(const std::string& run) {
    for (const char* name : {"result.json", "events.jsonl", "transcript.txt", "orch.log"}) {
      take(run, name);
    }
    for (int n = 1; take(run, "gates/" + std::to_string(n) + ".log"); ++n) {
    }
    const std::string recording = run + "/output.cast";
    struct stat info {};
    if (::stat(recording.c_str(), &info) == 0) {
      check(folder_.copy(prefix_ + "output.cast", recording));
    }
    const base::Result<GatheredReport> gathered =
        gather_report({.name = run, .agent = {}, .state_dir = {}, .secrets = secrets_});
    if (!gathered) return warn(gathered.error());
    const report::Report& report = gathered->report;
    write_trajectory(run, report.events);
    check(folder_.write(prefix_ + "report.html", report::page_of(report)));
    if (!report.last_screen.empty()) {
      check(folder_.write(prefix_ + "last_screen.svg", report.last_screen));
    }
  }

 private:
  // Only if the run's records can be read: a reader of trajectories takes a part for the whole.
  void write_trajectory(const std::string& run, const std::vector<event::Record>& events) {
    const std::string id = run.substr(run.rfind('/') + 1);
    const auto record = store::record_of({run, id, ""});
    const auto result = store::result_of({run, id, ""});
    if (!record.is_present() || !result.is_present()) return;
    write("trajectory.json",
          trajectory_of(*record, *result, events, trace_id_of(own_variable("TRACEPARENT"))));
  }

  const store::OutputFolder& folder_;
  std::string prefix_;
  const Masked& secrets_;
};

// The last rows of a transcript.
std::string last_words(const std::string& transcript) {
  constexpr size_t kMostRows = 20;
  const std::vector<std::string_view> rows = base::split_lines(transcript);
  std::string words;
  for (size_t i = rows.size() - std::min(rows.size(), kMostRows); i < rows.size(); ++i) {
    words.append(rows[i]).append("\n");
  }
  return words;
}

// The question that was still open when the run ended; "" if none was.
std::string question_at_end(const std::string& events) {
  std::string question;
  for (const event::Record& record : report::read_records(events).events) {
    if (const auto* dialog = std::get_if<event::Dialog>(&record.event)) {
      question = dialog->answer.empty() ? event::question_of(*dialog) : "";
    }
  }
  return question;
}

ui::StepResult step_result(const host::Ended& ended, const std::string& folder) {
  ui::StepResult step;
  step.session = store::session_name(ended.issue);
  step.code = ended.code;
  step.reason = ui::reason_of(ended);
  step.detail = ui::detail_of(ended);
  if (!ended.result) return step;
  step.run = ended.result->run;
  step.turns = ended.result->turns;
  step.duration_ms = ended.result->duration_ms;
  step.words = last_words(content_of(folder + "/transcript.txt"));
  if (ended.result->reason == event::ExitReason::kNeedsHuman) {
    step.question = question_at_end(content_of(folder + "/events.jsonl"));
  }
  return step;
}

// Appends to a file that the runner made, unless it would become longer than `most` bytes.
Status append(const std::string& path, std::string_view text, size_t most) {
  const base::Result<base::Fd> file = store::open_output(path);
  if (!file) return file.error();
  struct stat info {};
  if (::fstat(file->get(), &info) == 0 && static_cast<size_t>(info.st_size) + text.size() > most) {
    return base::Error{base::ErrorCode::kSystem, path + " has no room for more"};
  }
  return store::write_all(*file, path, text);
}

std::string lines_of(const std::vector<host::Ended>& all,
                     const std::function<std::string(const host::Ended&)>& line) {
  std::string lines;
  for (const host::Ended& ended : all) lines += (lines.empty() ? "" : "\n") + line(ended);
  return lines;
}

// The outputs of the step: each has one line for each issue.
std::string outputs_of(const std::vector<host::Ended>& all, int code,
                       const std::string& artifacts) {
  const std::string delimiter = "orch-" + base::random_hex();
  const auto output = [&](std::string_view name, const std::string& value) {
    return ui::github::output(name, value, delimiter);
  };
  std::string text = output("exit_code", std::to_string(code));
  text += output("reason", lines_of(all, [](const host::Ended& ended) {
                   return std::string(ui::reason_of(ended));
                 }));
  text += output("run", lines_of(all, [](const host::Ended& ended) {
                   return ended.result ? ended.result->run : "";
                 }));
  text += output("session", lines_of(all, [](const host::Ended& ended) {
                   return store::session_name(ended.issue);
                 }));
  if (!artifacts.empty()) text += output("artifacts", artifacts);
  return text;
}

}  // namespace

base::Result<CiSurfaces> CiSurfaces::prepare(const std::string& folder) {
  CiSurfaces surfaces;
  if (!folder.empty()) {
    base::Result<store::OutputFolder> made = store::OutputFolder::make(folder, "--artifacts");
    if (!made) return made.error();
    surfaces.folder_ = std::move(made).value();
  }
  if (ui::runner_here() == ui::Runner::kGithub) {
    surfaces.summary_file_ = own_variable("GITHUB_STEP_SUMMARY");
    surfaces.output_file_ = own_variable("GITHUB_OUTPUT");
  }
  return surfaces;
}

void CiSurfaces::publish(const std::vector<host::Ended>& all, int code,
                         const std::string& state_dir, const Masked& secrets) const {
  if (all.empty()) {
    return publish_refused({base::ErrorCode::kSystem, "nothing was started; stderr has why"});
  }
  if (folder_) {
    for (const host::Ended& ended : all) {
      RunArtifacts artifacts(*folder_, all.size() > 1 ? ended.issue + "/" : "", secrets);
      const std::string run = run_folder(ended, state_dir);
      if (ended.result) {
        artifacts.take_all(run);
      } else {
        artifacts.write("result.json",
                        result_json(ui::reason_of(ended), ended.code, ended.why_not));
      }
      const std::string events = content_of(run + "/events.jsonl");
      artifacts.write("junit.xml", report::junit_of(junit_run(ended, events)));
    }
    if (all.size() > 1) {
      RunArtifacts(*folder_, "", secrets).write("summary.json", ui::summary_json(all));
    }
  }
  if (!summary_file_.empty()) {
    std::vector<ui::StepResult> results;
    results.reserve(all.size());
    for (const host::Ended& ended : all)
      results.push_back(step_result(ended, run_folder(ended, state_dir)));
    check(append(summary_file_, mask::masked(secrets, ui::step_summary(results)),
                 ui::kMostSummaryBytes));
  }
  if (!output_file_.empty()) {
    check(append(output_file_, outputs_of(all, code, folder_ ? folder_->path() : ""),
                 ui::kMostSummaryBytes));
  }
}

void CiSurfaces::publish_refused(const base::Error& why) const {
  const std::string_view reason = event::name(event::reason_of(why.code));
  const int code = event::exit_code(why.code);
  if (folder_) {
    const auto secrets = std::make_shared<const mask::Secrets>();
    RunArtifacts artifacts(*folder_, "", secrets);
    artifacts.write("result.json", result_json(reason, code, why.text));
    report::JunitRun run;
    run.name = "orch";
    run.reason = reason;
    run.code = code;
    run.detail = why.text;
    artifacts.write("junit.xml", report::junit_of(run));
  }
  if (ui::runner_here() == ui::Runner::kGithub) {  // standard output may be another program's
    ui::tell_runner(ui::github::annotation("orch", reason, code, base::printable(why.text)));
  }
  if (!summary_file_.empty()) {
    ui::StepResult step;
    step.session = "orch";
    step.reason = reason;
    step.detail = why.text;
    step.code = code;
    check(append(summary_file_, ui::step_summary({step}), ui::kMostSummaryBytes));
  }
  if (output_file_.empty()) return;
  const std::string delimiter = "orch-" + base::random_hex();
  check(append(output_file_,
               ui::github::output("exit_code", std::to_string(code), delimiter) +
                   ui::github::output("reason", reason, delimiter),
               ui::kMostSummaryBytes));
}

}  // namespace orch::ci
