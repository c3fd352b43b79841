// orch task: carries out a task file, and leaves a change in a repository and a note about it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "base/text.h"
#include "cli/new_command.h"
#include "cli/stop_signals.h"
#include "setup/diagnostics.h"
#include "setup/paths.h"
#include "setup/task_setup.h"
#include "task_run/task_run.h"
#include "task_run/task_status.h"
#include "ui/elapsed.h"

namespace orch::cli {
namespace {

using base::Result;
using base::Status;

// Carries out one task, from the first line of its journal to the note.
class Task {
 public:
  Task(const task_run::TaskSetup& setup, task_run::TaskFolder& folder)
      : id_(setup.spec.id), run_(loop_, setup, folder, [this](const std::string& line) {
          std::fprintf(stderr, "orch: %s: %s\n", id_.c_str(), base::printable(line).c_str());
        }) {
    signals_ = watch_stop_signals(loop_, [this](int signum) { run_.on_stop_signal(signum); });
  }

  Status take_up(const std::vector<task::JournalEntry>& entries) { return run_.take_up(entries); }

  Result<task_run::TaskOutcome> run() {
    std::optional<Result<task_run::TaskOutcome>> outcome;
    const Status started = run_.start([&](Result<task_run::TaskOutcome> end) {
      outcome = std::move(end);
      loop_.stop();
    });
    if (!started) return started.error();
    loop_.run();
    if (outcome) return *outcome;
    return base::Error{base::ErrorCode::kSystem, "task " + id_ + " came to no end"};
  }

  const task::TaskFacts& facts() const { return run_.facts(); }

 private:
  loop::Loop loop_;
  std::string id_;
  std::vector<std::unique_ptr<loop::SignalWatch>> signals_;
  task_run::TaskRun run_;
};

base::Json outcome_json(const std::string& id, const task_run::TaskOutcome& outcome,
                        const task::TaskFacts& facts) {
  base::Json criteria = base::Json::array(), runs = base::Json::array();
  for (const task::Criterion& criterion : facts.criteria) {
    criteria.push_back({{"id", criterion.id},
                        {"description", criterion.description},
                        {"verdict", name(criterion.verdict)},
                        {"comment", base::or_null(criterion.comment)}});
  }
  for (const task::WorkerRun& run : facts.runs) {
    if (run.end) runs.push_back(base::or_null(run.end->run));
  }
  base::Json json{{"task", id},
                  {"state", name(outcome.end.state)},
                  {"reason", name(outcome.end.reason)},
                  {"detail", base::or_null(outcome.end.detail)},
                  {"code", exit_code(outcome.end.reason)},
                  {"started", outcome.started},
                  {"ended", outcome.ended},
                  {"ms", outcome.worked_ms},
                  {"tokens", event::tokens(facts.usage)}};
  json["criteria"] = std::move(criteria);
  json["runs"] = std::move(runs);
  json["questions"] = facts.questions;
  json["tests_passed"] =
      facts.tests.empty() ? base::Json(nullptr) : base::Json(facts.tests.back().end.passed());
  json["usage"] = base::object_of(facts.usage, event::kUsageFields);
  json["note"] = base::or_null(outcome.note);
  json["folder"] = outcome.folder;
  return json;
}

void print_outcome(const task_run::TaskOutcome& outcome, const task::TaskFacts& facts) {
  std::string text =
      std::string(name(outcome.end.state)) + " (" + std::string(name(outcome.end.reason)) + ")";
  if (!outcome.end.detail.empty()) text += ": " + outcome.end.detail;
  text += "\n";
  for (const task::Criterion& criterion : facts.criteria) {
    text += "  " + criterion.id + " " + std::string(name(criterion.verdict)) + ": " +
            criterion.description + "\n";
  }
  const auto counted = [](size_t count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s") + ", ";
  };
  text += counted(facts.runs.size(), "worker run") +
          counted(static_cast<size_t>(facts.questions), "question") +
          event::usage_text(facts.usage) + "\n";
  if (!outcome.note.empty()) text += "note: " + outcome.note + "\n";
  std::string shown;
  for (const std::string_view line : base::split_lines(text)) shown += base::printable(line) + "\n";
  std::fputs(shown.c_str(), stdout);
}

// Prints, as JSON, why a task file with untrusted fields is refused.
void print_untrusted(const setup::UntrustedTask& task) {
  const base::Json json{
      {"task", task.id}, {"untrusted", task.fields}, {"file", task.file}, {"sha256", task.sha256}};
  std::fputs(base::json_text(json).c_str(), stdout);
}

int carry_out(const setup::TaskOptions& options, setup::Diagnostics& diagnostics) {
  if (!options.resume.empty()) {
    const Result<std::string> state_dir = setup::state_dir_of(options.state_dir);
    if (!state_dir) return report(state_dir.error());
    const Status there = task_run::check_task(*state_dir, options.resume);
    if (!there) return report_no_session(there.error());
  }
  Result<setup::PreparedTask> prepared =
      setup::prepare_task(options, [&options](const setup::UntrustedTask& task) {
        if (options.json) print_untrusted(task);
      });
  if (!prepared) return report(prepared.error());
  for (const std::string& note : prepared->notes) {
    std::fprintf(stderr, "orch: %s\n", base::printable(note).c_str());
  }
  Task task(prepared->setup, *prepared->folder);
  if (Status s = task.take_up(prepared->journal); !s) return report(s.error());
  const Result<task_run::TaskOutcome> outcome = task.run();
  diagnostics.write_out();
  if (!outcome) return report(outcome.error());
  if (!outcome->note_trouble.empty()) {
    report({base::ErrorCode::kSystem,
            "the note is kept as " + outcome->folder + "/note.md alone: " + outcome->note_trouble});
  }
  if (options.json) {
    const base::Json json = outcome_json(prepared->setup.spec.id, *outcome, task.facts());
    std::fputs(base::json_text(json).c_str(), stdout);
  } else {
    print_outcome(*outcome, task.facts());
  }
  return exit_code(outcome->end.reason);
}

base::Json status_json_of(const task_run::TaskStatus& status) {
  const auto bound = [](auto most) { return most > 0 ? base::Json(most) : base::Json(nullptr); };
  const task::TaskFacts& facts = status.facts;
  base::Json criteria = base::Json::array();
  for (const task::Criterion& criterion : facts.criteria) {
    criteria.push_back({{"id", criterion.id}, {"verdict", name(criterion.verdict)}});
  }
  base::Json json{{"task", status.spec.id},
                  {"state", name(status.state)},
                  {"reason", status.end ? base::Json(name(status.end->reason)) : base::Json()},
                  {"detail", base::or_null(status.end ? status.end->detail : "")},
                  {"at_work", status.is_at_work},
                  {"step", base::or_null(status.step)},
                  {"repository", base::or_null(status.repo)},
                  {"started", base::or_null(status.started)},
                  {"latest", base::or_null(status.latest)}};
  json["criteria"] = std::move(criteria);
  json["questions"] = facts.questions;
  json["spent"] = {{"worker_runs", status.loops},
                   {"ms", status.worked_ms},
                   {"tokens", event::tokens(facts.usage)},
                   {"cost_usd", base::or_null(facts.usage.cost_usd)}};
  const task::Budget& budget = status.spec.budget;
  json["budget"] = {{"worker_runs", status.spec.worker.max_loops},
                    {"ms", bound(budget.time_ms)},
                    {"tokens", bound(budget.tokens)},
                    {"cost_usd", bound(budget.cost_usd)}};
  return json;
}

void print_status_of(const task_run::TaskStatus& status) {
  const auto row = [](const std::string& key, const std::string& text) {
    std::printf("%-12s %s\n", key.c_str(), base::printable(text).c_str());
  };
  const task::TaskFacts& facts = status.facts;
  const task::Budget& budget = status.spec.budget;
  std::string state(name(status.state));
  if (status.end) state += " (" + std::string(name(status.end->reason)) + ")";
  if (status.end && !status.end->detail.empty()) state += ": " + status.end->detail;
  if (!status.end) {
    state +=
        status.is_at_work ? "" : ", and no orch is at work: orch task --resume " + status.spec.id;
  }
  row("task", status.spec.id);
  row("state", state);
  if (!status.step.empty()) row("step", status.step);
  if (!status.repo.empty()) row("repo", status.repo);
  const auto passed =
      std::count_if(facts.criteria.begin(), facts.criteria.end(),
                    [](const task::Criterion& it) { return it.verdict == task::Verdict::kPassed; });
  row("criteria",
      std::to_string(passed) + " of " + std::to_string(facts.criteria.size()) + " passed");
  row("worker runs",
      std::to_string(status.loops) + " of " + std::to_string(status.spec.worker.max_loops));
  row("time", ui::elapsed_text(status.worked_ms) +
                  (budget.time_ms > 0 ? " of " + ui::elapsed_text(budget.time_ms) : ""));
  row("tokens", event::tokens_text(facts.usage) +
                    (budget.tokens > 0 ? " of " + event::tokens_text(budget.tokens) : ""));
  if (facts.usage.cost_usd || budget.cost_usd > 0) {
    row("cost", fmt::format("${:.4f}", facts.usage.cost_usd.value_or(0)) +
                    (budget.cost_usd > 0 ? fmt::format(" of ${:.2f}", budget.cost_usd) : ""));
  }
}

int tell_status(const setup::TaskOptions& options) {
  if (!options.file.empty() || !options.resume.empty()) {
    return report(base::usage_error("--status ID stands alone"));
  }
  const Result<std::string> state_dir = setup::state_dir_of(options.state_dir);
  if (!state_dir) return report(state_dir.error());
  const Result<task_run::TaskStatus> status = task_run::status_of_task(*state_dir, options.status);
  if (!status) return report_no_session(status.error());
  if (options.json) {
    std::fputs(base::json_text(status_json_of(*status)).c_str(), stdout);
  } else {
    print_status_of(*status);
  }
  return 0;
}

std::string task_footer() {
  std::string text =
      R"(A task file is YAML: docs/task.md has its fields, docs/examples three of them. A meta-agent
plans, decides and assesses; worker runs and tests are runs of orch, which orch runs lists. What
the meta-agent wants is checked, and refused where the file does not allow it or tests fail. Fields
that choose programs, words, variables, servers or a weaker sandbox count only in a file that you
alone can have written, or trust.

Examples:
  orch task docs/examples/task-demo.yaml   runs anywhere
  orch task - < task.yaml                  in CI
  orch task fix.yaml --json                how it ended, as one object
  orch task --resume fix-net-test          goes on where orch was killed or interrupted
  orch task --status fix-net-test          how it stands, what it has spent and may spend
  orch trust fix.yaml                      then a repository's file may set programs, flags, ...
  orch task fix.yaml --approve all         with sandbox none: nobody is asked before a worker acts

Exit codes:
)";
  for (const task::EndReason reason :
       {task::EndReason::kComplete, task::EndReason::kMetaFailed, task::EndReason::kRefused,
        task::EndReason::kGivenUp, task::EndReason::kLoops, task::EndReason::kTimeout,
        task::EndReason::kTokens, task::EndReason::kCost, task::EndReason::kLimit,
        task::EndReason::kInternal, task::EndReason::kInterrupted, task::EndReason::kTerminated}) {
    std::string line = "  " + std::to_string(exit_code(reason));
    line.resize(7, ' ');
    line += name(reason);
    line.resize(20, ' ');
    text += line.append(describe(reason)).append("\n");
  }
  return text +
         "  2    usage        wrong usage or a wrong task file\n"
         "  4    not_found    no task has this id\n";
}

}  // namespace

void add_task_command(CLI::App& app, setup::Diagnostics& diagnostics, Chosen& chosen) {
  CommandWith<setup::TaskOptions> command(
      app, chosen, "task", "plan, work, assess: from a task file to a change and a note",
      [&diagnostics](const setup::TaskOptions& options) {
        return options.status.empty() ? carry_out(options, diagnostics) : tell_status(options);
      });
  command.option("file", command->file, "the task file; - is standard input");
  command.option("--resume", command->resume, "go on with the task of this id");
  command.option("--status", command->status,
                 "print the state of the task with this id, its spending and its limits");
  command
      .option("--approve", command->approve,
              "all: a worker without a sandbox gets what it asks for, but for the denylist; "
              "none: nothing")
      .show_default();
  command.option("--trust-file", command->trust_file,
                 "trust a task file with this SHA-256, which you have looked at, also on "
                 "standard input");
  command.option("--meta-url", command->meta_url,
                 "the server that a meta-agent of kind openai-chat is asked from, and that "
                 "gets its key");
  command.flag("--json", command->json, "print how it ended, or stands, as one JSON object");
  command.state_dir(command->state_dir,
                    "where tasks and runs are kept (default: $XDG_STATE_HOME/orch)");
  command.footer(task_footer());
}

}  // namespace orch::cli
