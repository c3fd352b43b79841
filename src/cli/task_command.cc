// orch task: a task file goes in, a change in a repository and a note come out.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/stop_signals.h"
#include "cli/task_setup.h"
#include "task_run/task_run.h"

namespace orch::cli {
namespace {

using base::Result;
using base::Status;

// From the first line of the journal to the note.
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
    std::optional<task_run::TaskOutcome> outcome;
    const Status started = run_.start([&](task_run::TaskOutcome end) {
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
                        {"status", name(criterion.verdict)},
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
                  {"worked_ms", outcome.worked_ms}};
  json["criteria"] = std::move(criteria);
  json["runs"] = std::move(runs);
  json["questions"] = facts.questions;
  json["tests_passed"] =
      facts.tests.empty() ? base::Json(nullptr) : base::Json(facts.tests.back().end.passed());
  json["usage"] = {{"in", facts.usage.in},
                   {"out", facts.usage.out},
                   {"cost_usd", base::or_null(facts.usage.cost_usd)}};
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
  text += std::to_string(facts.runs.size()) + " worker runs, " + std::to_string(facts.questions) +
          " questions, " + event::usage_text(facts.usage) + "\n";
  if (!outcome.note.empty()) text += "note: " + outcome.note + "\n";
  std::string shown;
  for (const std::string_view line : base::split_lines(text)) shown += base::printable(line) + "\n";
  std::fputs(shown.c_str(), stdout);
}

int carry_out(const TaskOptions& options, Diagnostics& diagnostics) {
  Result<PreparedTask> prepared = prepare_task(options);
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

std::string task_footer() {
  std::string text =
      R"(A task file is YAML: docs/task.md has its fields, docs/examples three of them. A meta-agent
plans, decides and assesses; worker runs and tests are runs of orch, which orch runs lists. What
the meta-agent wants is checked, and refused where the file does not allow it or tests fail.

Examples:
  orch task docs/examples/task-demo.yaml   runs anywhere
  orch task - < task.yaml                  in CI
  orch task fix.yaml --json                how it ended, as one object
  orch task --resume fix-net-test          goes on where orch was killed or interrupted
  orch task fix.yaml --approve all         with sandbox none: nobody is asked before a worker acts

Exit codes:
)";
  for (const task::EndReason reason :
       {task::EndReason::kComplete, task::EndReason::kMetaFailed, task::EndReason::kRefused,
        task::EndReason::kGivenUp, task::EndReason::kLoops, task::EndReason::kTimeout,
        task::EndReason::kTokens, task::EndReason::kCost, task::EndReason::kInternal,
        task::EndReason::kInterrupted, task::EndReason::kTerminated}) {
    std::string line = "  " + std::to_string(exit_code(reason));
    line.resize(7, ' ');
    line += name(reason);
    line.resize(20, ' ');
    text += line.append(describe(reason)).append("\n");
  }
  return text + "  2    usage        wrong usage or a wrong task file\n";
}

}  // namespace

void add_task_command(CLI::App& app, Diagnostics& diagnostics, Chosen& chosen) {
  CLI::App* command =
      app.add_subcommand("task", "plan, work, assess: from a task file to a change and a note");
  auto options = std::make_shared<TaskOptions>();
  command->add_option("file", options->file, "the task file; - is standard input");
  command->add_option("--resume", options->resume, "go on with the task of this id");
  command
      ->add_option("--approve", options->approve,
                   "all: a worker without a sandbox gets what it asks for, but for the denylist; "
                   "none: nothing")
      ->capture_default_str();
  command->add_flag("--json", options->json, "print how it ended as one JSON object");
  command->add_option("--state-dir", options->state_dir,
                      "where tasks and runs are kept (default: $XDG_STATE_HOME/orch)");
  command->footer(task_footer());
  command->callback([options, &diagnostics, &chosen] {
    chosen = [options, &diagnostics] { return carry_out(*options, diagnostics); };
  });
}

}  // namespace orch::cli
