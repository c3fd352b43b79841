#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/next_step.h"

namespace orch::report {

// One run in a page or a table of many runs, or a task. Texts may be any bytes.
struct SummaryRow {
  std::string run, issue, agent;
  std::string task;      // whose worker run or test this is; ""
  bool is_task = false;  // `issue` is its id, and it has no `run`
  std::string state;     // "completed/complete", "failed/gate_failed", "running"
  Standing standing;     // the value of `state`
  std::string started;   // RFC 3339, UTC
  int64_t ms = 0;        // how long it took, or has taken so far
  // Changed files, and added and removed lines; absent if they are not known, and then
  // `no_changes_why` may say why.
  struct Changes {
    int64_t files = 0, added = 0, removed = 0;
    bool operator==(const Changes&) const = default;
  };
  std::optional<Changes> changes;
  std::string no_changes_why;
  int gates = 0, gates_passed = 0;  // --verify commands, and those whose last run succeeded
  std::optional<int> turns;         // absent: not known yet
  std::optional<int64_t> tokens;    // in and out; absent: the agent did not report them
  std::optional<double> cost_usd;
  std::string branch;              // of the run's worktree, if it still exists; otherwise ""
  int64_t pull_request = 0;        // its number; 0: none
  std::string pull_request_state;  // open, closed, merged: when orch last looked; ""
  std::string last_words;          // the agent's last line, of a run that has not completed
  std::string page;                // of its report: an absolute path, or one from this page; ""
  NextStep next;                   // command "": nothing to do, or a later run of the issue goes on
};

// Whether the run has done its task.
bool has_completed(const SummaryRow& row);

// The sums over all rows: "5 runs: 3 completed, 1 failed, 1 at work; 12 files, +340 -20; 1.2M
// tokens, $3.20".
std::string totals_text(const std::vector<SummaryRow>& rows);

// The issue; indented, if the run is a task's.
std::string name_of(const SummaryRow& row);
// "+12 -3", or "" if nothing was counted.
std::string lines_text(const SummaryRow& row);
// "orch/42 #43 open"
std::string branch_text(const SummaryRow& row);
// "2/3" of the gates passed; "" if there are none.
std::string gates_text(const SummaryRow& row);

struct Summary {
  std::string title;    // "orch: runs since 2026-11-27 18:00"
  std::string made_at;  // as it is shown
  std::vector<SummaryRow> rows;
};

// One HTML page that stands alone, without a script: its content security policy allows nothing but
// its own style. Nothing in a row can become markup.
std::string page_of(const Summary& summary);

}  // namespace orch::report
