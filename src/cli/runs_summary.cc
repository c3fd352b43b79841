#include "cli/runs_summary.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "adapters/launch.h"
#include "adapters/registry.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/last_words.h"
#include "cli/standing.h"
#include "cli/task_rows.h"
#include "client/run_diff.h"
#include "client/sessions.h"
#include "issue/landing_record.h"
#include "repo/git_program.h"
#include "repo/landing.h"
#include "repo/worktree.h"
#include "setup/agents.h"
#include "store/session_file.h"
#include "ui/elapsed.h"
#include "ui/table.h"

namespace orch::cli {
namespace {

using report::SummaryRow;
using std::chrono::steady_clock;

// The limit for counting all changes together.
constexpr std::chrono::seconds kCountingTime{20};
constexpr int64_t kTellingMs = 1'000;  // for the sessions' status reports
constexpr size_t kMostWords = 200;     // bytes shown of the agent's last words

void count_gates(const store::Verdict& verdict, SummaryRow& row, std::string& failed) {
  std::map<std::string, bool> passed;  // whether the last run of each command did
  for (const store::GateRun& gate : verdict.gates) passed[gate.command] = gate.code == 0;
  for (const auto& [command, has_passed] : passed) {
    ++row.gates;
    if (has_passed) {
      ++row.gates_passed;
    } else if (failed.empty()) {
      failed = command;
    }
  }
}

// The state that all rows of one summary share.
class RowMaker {
 public:
  explicit RowMaker(const client::Place& place)
      : place_(place), until_(steady_clock::now() + kCountingTime) {
    if (auto agents = setup::load_agents(place.repository)) agents_ = std::move(agents).value();
  }

  SummaryRow row_of(const client::RunView& run) {
    SummaryRow row;
    row.run = run.record.id;
    row.issue = run.record.issue;
    row.agent = run.record.agent;
    row.state = client::state_text(run);
    row.started = run.record.started;
    const bool is_newest = issues_.emplace(run.record.repository, run.record.issue).second;
    if (!run.unreadable.empty()) {
      row.standing.phase = report::Standing::Phase::kHostDied;
      row.last_words = run.unreadable;
      row.next = {"orch doctor", "its record cannot be read"};
      return row;
    }
    row.ms = client::duration_of(run, std::chrono::system_clock::now()).count();
    report::StepNames names;
    names.run = run.record.issue;
    names.agent = run.record.agent;
    if (!client::is_here(place_, run.record.repository, run.record.cwd)) names.run = run.record.id;
    stand(run, row);
    if (run.record.verdict) take_verdict(run, row, names);
    take_agent(run, row.standing, names);
    count_changes(run, is_newest, row);
    if (!report::has_completed(row)) {
      const std::string keyword = run.record.request ? run.record.request->keyword : "";
      const std::vector<std::string> words = last_words(run.folder.path, keyword, 1);
      if (!words.empty()) {
        row.last_words = std::string(base::beginning(base::trim(words[0]), kMostWords));
      }
    }
    // A later run of the issue goes on where this one ended.
    if (is_newest) take_landing(run, row, names);
    if (is_newest) row.next = report::next_step(row.standing, names);
    return row;
  }

 private:
  void stand(const client::RunView& run, SummaryRow& row) {
    using store::RunStatus;
    const RunStatus status = run.record.status;
    report::Standing& standing = row.standing;
    if (run.host_died) {
      standing.phase = report::Standing::Phase::kHostDied;
    } else if (status == RunStatus::kStarting || status == RunStatus::kRunning) {
      standing.phase = is_waiting(run.record.id) ? report::Standing::Phase::kWaiting
                                                 : report::Standing::Phase::kAtWork;
      if (standing.phase == report::Standing::Phase::kWaiting) row.state = "waiting";
    } else if (run.record.verdict) {
      standing.reason = run.record.verdict->reason;
    }
  }

  bool is_waiting(const std::string& run) {
    if (!sessions_) {
      auto sessions = client::view_sessions(place_.state_dir, kTellingMs);
      if (!sessions) (void)report(sessions.error());
      sessions_ = sessions ? std::move(sessions).value() : std::vector<client::SessionView>();
    }
    return std::ranges::any_of(*sessions_, [&run](const client::SessionView& session) {
      return session.record.run == run && session.report && session.report->dialog;
    });
  }

  static void take_verdict(const client::RunView& run, SummaryRow& row, report::StepNames& names) {
    const store::Verdict& verdict = *run.record.verdict;
    row.turns = verdict.turns;
    if (verdict.usage) {
      row.tokens = event::tokens(*verdict.usage);
      row.cost_usd = verdict.usage->cost_usd;
    }
    count_gates(verdict, row, names.gate);
    if (verdict.worktree && verdict.worktree->branch_kept) {
      row.branch = names.branch = verdict.worktree->branch;
      if (verdict.worktree->kept) names.uncommitted = verdict.worktree->path;
      const std::string& after = run.record.git_after;
      row.standing.has_commits = !after.empty() && after != run.record.git_before;
    }
    const store::Found<store::RunResult> result = store::result_of(run.folder);
    if (result.is_unknown()) (void)report(result.error());
    if (!result.is_present()) return;
    row.standing.cause = result->cause;
    row.standing.denied_itself = is_headless(run) && result->answers.empty();
  }

  static bool is_headless(const client::RunView& run) {
    return run.record.request && run.record.request->mode == "headless";
  }

  void take_agent(const client::RunView& run, report::Standing& standing,
                  report::StepNames& names) const {
    const adapters::Manifest* agent = agents_.find(run.record.agent);
    if (agent == nullptr) return;
    const base::Status resumes = is_headless(run) ? adapters::check_resumes_headless(*agent)
                                                  : adapters::check_resumes(*agent);
    standing.resumes = resumes.ok() && !run.record.agent_session.empty();
    names.login = agent->login.how;
  }

  // What became of the issue's branch since.
  void take_landing(const client::RunView& run, SummaryRow& row, report::StepNames& names) const {
    const std::string& repository = run.record.repository;
    const std::string key = store::session_key(run.record.issue, repository);
    const auto record = issue::read_landing(issue::landing_files(place_.state_dir, key).record);
    if (record.is_unknown()) (void)report(record.error());
    if (record.is_present()) {
      row.pull_request = record->pull_request;
      row.pull_request_state = record->pull_request_state;
    }
    if (names.branch.empty() || steady_clock::now() > until_) return;
    const base::Result<std::string> at = repo::commit_of_branch(repository, names.branch);
    if (!at) return;
    if (at->empty()) {
      names.home = record.is_present() && record->merged ? "it is merged" : "its branch is gone";
      row.branch.clear();
      return;
    }
    if (!names.uncommitted.empty()) {
      const base::Result<bool> is_dirty = repo::has_uncommitted(names.uncommitted);
      if (!is_dirty || *is_dirty) return;
      names.uncommitted.clear();
    }
    if (record.is_present() && record->pushed == *at) {
      names.home = "it has landed" + (row.pull_request > 0
                                          ? " as pull request #" + std::to_string(row.pull_request)
                                          : std::string());
    } else if (row.standing.has_commits && run.record.base && !run.record.base->branch.empty()) {
      const base::Result<bool> merged =
          repo::is_merged(repository, names.branch, run.record.base->branch);
      if (merged && *merged) names.home = run.record.base->branch + " has its commits";
    }
  }

  // The newest row of an issue counts what all its runs have changed.
  void count_changes(const client::RunView& run, bool is_newest, SummaryRow& row) {
    const std::string too_long = "counting took too long; see orch diff " + run.record.id;
    if (steady_clock::now() > until_) {
      row.no_changes_why = too_long;
      return;
    }
    const repo::GitDeadline deadline(until_);
    base::Result<std::vector<client::RunView>> runs =
        is_newest ? client::runs_of_issue(place_.state_dir, run)
                  : std::vector<client::RunView>{run};
    const base::Result<client::RunDiff> told = runs ? client::diff_of_issue(place_.state_dir, *runs)
                                                    : base::Result<client::RunDiff>(runs.error());
    const base::Result<repo::DiffCount> count =
        told ? told->diff.count() : base::Result<repo::DiffCount>(told.error());
    if (!count && steady_clock::now() > until_) {
      row.no_changes_why = too_long;
      return;
    }
    if (!count) {
      row.no_changes_why = count.error().text;
      row.standing.has_changes = false;  // nothing that `orch diff` could show
      return;
    }
    row.changes = {count->files, count->added, count->removed};
    row.standing.has_changes = count->files > 0 || !told->diff.notes().empty();
  }

  const client::Place& place_;
  adapters::Registry agents_;
  steady_clock::time_point until_;
  std::optional<std::vector<client::SessionView>> sessions_;  // asked for when they are needed
  std::set<std::pair<std::string, std::string>> issues_;      // issues with a run so far
};

ui::Color color_of(const SummaryRow& row) {
  switch (row.standing.phase) {
    case report::Standing::Phase::kAtWork:
    case report::Standing::Phase::kWaiting:
      return ui::Color::kYellow;
    case report::Standing::Phase::kHostDied:
      return ui::Color::kRed;
    case report::Standing::Phase::kEnded:
      return report::has_completed(row) ? ui::Color::kGreen : ui::Color::kRed;
  }
  return ui::Color::kPlain;
}

// The cells of a row of the table; the color is that of its verdict.
std::vector<ui::Table::Cell> cells_of(const SummaryRow& row) {
  return {{report::name_of(row)},
          {row.state, color_of(row)},
          {row.changes ? std::to_string(row.changes->files) : ""},
          {report::lines_text(row)},
          {report::gates_text(row)},
          {row.turns ? std::to_string(*row.turns) : ""},
          {row.tokens ? event::tokens_text(*row.tokens) : ""},
          {ui::elapsed_text(row.ms)},
          {report::branch_text(row)},
          {row.run}};
}

// The lines below a row: the agent's last words, and what to do next.
std::string below(const SummaryRow& row, bool in_color) {
  std::string text;
  const std::string words = base::printable(row.last_words);
  if (!words.empty()) text += ui::colored("    \" " + words, ui::Color::kDim, in_color) + "\n";
  if (row.next.command.empty()) return text;
  return text + "    > " + base::printable(row.next.command) + "   (" +
         base::printable(row.next.why) + ")\n";
}

// The summary's fields in addition to those of `orch runs`.
base::Json json_of(const SummaryRow& row) {
  using Changes = SummaryRow::Changes;
  const auto number = [&row](int64_t Changes::*member) {
    return row.changes ? base::Json((*row.changes).*member) : base::Json();
  };
  return {{"task", base::or_null(row.task)},
          {"files", number(&Changes::files)},
          {"added", number(&Changes::added)},
          {"removed", number(&Changes::removed)},
          {"uncounted", base::or_null(row.no_changes_why)},
          {"gates_run", row.gates},
          {"gates_passed", row.gates_passed},
          {"branch", base::or_null(row.branch)},
          {"pull_request", row.pull_request > 0 ? base::Json(row.pull_request) : base::Json()},
          {"pull_request_state", base::or_null(row.pull_request_state)},
          {"last_words", base::or_null(row.last_words)},
          {"next", base::or_null(row.next.command)},
          {"next_why", base::or_null(row.next.why)}};
}

}  // namespace

base::Result<std::vector<SummaryRow>> summary_rows(const client::Place& place,
                                                   const client::RunFilter& filter) {
  std::vector<SummaryRow> rows;
  RowMaker maker(place);
  const base::Status all = client::each_run(
      place, filter, [&](const client::RunView& run) { rows.push_back(maker.row_of(run)); });
  if (!all) return all.error();
  return TaskRows(place.state_dir).grouped(std::move(rows));
}

std::string summary_text(const std::vector<SummaryRow>& rows, bool in_color) {
  constexpr int kAlways = ui::Table::kAlways;
  ui::Table table({{"ISSUE", kAlways},
                   {"VERDICT", kAlways},
                   {"FILES", 7},
                   {"LINES", 6},
                   {"GATES", 5},
                   {"TURNS", 3},
                   {"TOKENS", 2},
                   {"TIME", 4},
                   {"BRANCH", 1},
                   {"RUN", 0}});
  for (const SummaryRow& row : rows) table.add(cells_of(row), below(row, in_color));
  return table.text(ui::window_columns(), in_color) + report::totals_text(rows) + "\n";
}

base::Result<base::Json> summary_json(const client::Place& place, const client::RunFilter& filter) {
  base::Json list = base::Json::array();
  RowMaker maker(place);
  TaskRows tasks(place.state_dir);
  const base::Status all = client::each_run(place, filter, [&](const client::RunView& run) {
    base::Json json = run_json(run);
    SummaryRow row = maker.row_of(run);
    row.task = tasks.task_of(row.run, row.issue);
    if (!row.task.empty()) row.next = {};
    json["summary"] = json_of(row);
    list.push_back(std::move(json));
  });
  if (!all) return all.error();
  return list;
}

}  // namespace orch::cli
