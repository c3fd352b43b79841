#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "event/event.h"
#include "event/exit_reason.h"
#include "report/film.h"
#include "report/records.h"

namespace orch::report {

// How a run ended.
struct Verdict {
  event::ExitReason reason = event::ExitReason::kComplete;
  int code = 0;
  std::string detail;  // for people, or ""
};

// A run of the issue that a report is about.
struct IssueRun {
  std::string run, agent, verdict;
  std::string started;  // as it is shown
  int64_t ms = 0;       // how long it took
};

// The contents of the report of one run, or of a recording alone. Times are milliseconds of the
// run. Empty members are left out of the page.
struct Report {
  std::string name;     // "orch-42", or a recording's name
  std::string run;      // its id
  std::string agent;    // "claude 2.1.330"
  std::string started;  // as it is shown
  std::string folder;   // the work directory
  std::string task;     // the first message to the agent
  int64_t end_ms = 0;
  std::string ending;              // shown without a verdict: "still running"
  std::optional<Verdict> verdict;  // absent if it is not known
  std::vector<event::Record> events;
  std::vector<OtherRecord> others;
  std::vector<Remark> remarks;
  Film film;
  std::string last_screen;  // at work_end(), as SVG (term/svg.h), shown where no script runs
  // The changes of the run, or of all runs of the issue, as a unified diff; and a phrase that says
  // why changes are missing.
  std::string patch, patch_note;
  std::vector<IssueRun> issue_runs;  // the oldest first; empty for a run without others
};

// The end of the agent's work, before its farewell, in milliseconds. The page opens there.
int64_t work_end(const Report& report);

// The size that a page with everything in it does not exceed, in bytes.
inline constexpr size_t kMaxPageBytes = 2'000'000;

// One HTML page that stands alone: it needs neither the network nor other files, and its content
// security policy forbids both. Words and verdict can be read without a script; with the script the
// screen at each moment is shown. Nothing in the report can become markup or script.
std::string page_of(const Report& report);

}  // namespace orch::report
