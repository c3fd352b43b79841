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
  std::string detail;  // for a human; ""
};

// All that the report of one run, or of a recording alone, is made of. Times are milliseconds of
// the run. What is empty is left out of the page.
struct Report {
  std::string name;     // "orch-42", a recording's name
  std::string run;      // its id
  std::string agent;    // "claude 2.1.330"
  std::string started;  // RFC 3339, UTC
  std::string folder;   // the work directory
  std::string task;     // what the agent was told first
  int64_t end_ms = 0;
  std::string ending;              // what is said where there is no verdict: "still running"
  std::optional<Verdict> verdict;  // absent: not known
  std::vector<event::Record> events;
  std::vector<OtherRecord> others;
  std::vector<Remark> remarks;
  Film film;
  std::string last_screen;  // as SVG (term/svg.h): what is shown where no script runs
};

// A page with everything in it has at most so many bytes.
inline constexpr size_t kMaxPageBytes = 2'000'000;

// One HTML page that needs nothing else: neither network nor other files, and its policy forbids
// both. Words and verdict can be read without a script; with it the screen at each moment is shown.
// Nothing that is in the report can become markup or script.
std::string page_of(const Report& report);

}  // namespace orch::report
