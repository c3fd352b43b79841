#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/exec_plan.h"
#include "base/time.h"
#include "base/words.h"
#include "event/event.h"

namespace orch::task {

using base::TimeMs;

// What a repository looks like at the start, for whoever plans.
struct RepoFacts {
  std::string branch, head;          // "" where there is none
  std::vector<std::string> entries;  // of its root folder; folders end with "/"
  bool operator==(const RepoFacts&) const = default;
};

enum class Verdict : uint8_t { kUnknown, kPassed, kFailed };
inline constexpr base::Words<Verdict, 3> kVerdictWords{
    {{Verdict::kPassed, "passed"}, {Verdict::kFailed, "failed"}, {Verdict::kUnknown, "unknown"}}};

// What has to be true in the end, as the meta-agent read it out of the PRD.
struct Criterion {
  std::string id, description;
  Verdict verdict = Verdict::kUnknown;  // of the last assessment
  std::string comment = {};
  bool operator==(const Criterion&) const = default;
};

// How one run of the worker ended.
struct WorkerEnd {
  std::string run;     // its id among orch's runs; "" when it was not begun
  std::string reason;  // as orch run has it: "idle", "agent_failed"; or "interrupted"
  std::string detail;  // one line; ""
  int code = 0;        // of orch run
  int64_t ms = 0;
  std::string words;  // the end of what the worker said
  event::Usage usage;
  int files = 0;                   // that were changed
  std::vector<std::string> paths;  // some of them
  bool commit = false;             // another commit is checked out
  std::string changes_unknown;     // why it cannot be told what was changed; ""
  bool succeeded() const { return code == 0; }
  bool at_limit() const { return reason == "retry_later"; }
  bool operator==(const WorkerEnd&) const = default;
};

// How one run of the test command ended.
struct TestEnd {
  std::string run;
  int code = 0;  // as a shell tells it
  bool timed_out = false;
  int64_t ms = 0;
  std::string output;   // the end of it
  std::string trouble;  // why orch could not run it; "": it ran
  bool passed() const { return code == 0 && !timed_out && trouble.empty(); }
  bool operator==(const TestEnd&) const = default;
};

enum class Action : uint8_t { kRunWorker, kMarkComplete, kAbort };
inline constexpr base::Words<Action, 3> kActionWords{{{Action::kRunWorker, "run_worker"},
                                                      {Action::kMarkComplete, "mark_complete"},
                                                      {Action::kAbort, "abort"}}};

// What the meta-agent decided, and what became of it.
struct Decision {
  Action action = Action::kRunWorker;
  std::string reason;
  std::string refused;  // why orch did not do it; "" when it did
  TimeMs at = 0;
};

struct WorkerRun {
  int n = 0;  // from 1
  adapters::WorkerCall call;
  TimeMs begun = 0;
  std::optional<WorkerEnd> end;  // absent: it goes on
  size_t decision = 0;           // which of the decisions
};

struct TestRun {
  int n = 0;          // from 1
  int after = 0;      // the worker run that it follows
  bool last = false;  // in VALIDATING
  TestEnd end;
};

inline std::string_view name(Verdict verdict) { return base::word_of(kVerdictWords, verdict); }
inline std::string_view name(Action action) { return base::word_of(kActionWords, action); }

// All that is known of a task: what the meta-agent is told, and what the note says.
struct TaskFacts {
  RepoFacts repo;
  std::vector<Criterion> criteria;
  std::vector<Decision> decisions;
  std::vector<WorkerRun> runs;
  std::vector<TestRun> tests;
  std::string summary;  // of the last assessment
  int questions = 0;    // that were asked
  event::Usage usage;   // of meta-agent and worker together
};

}  // namespace orch::task
