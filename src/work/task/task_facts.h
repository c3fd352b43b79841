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

// The state of a repository at the start, for the meta-agent that plans.
struct RepoFacts {
  std::string branch, head;          // "" where there is none
  std::vector<std::string> entries;  // names in its root folder; those of folders end with "/"
  bool operator==(const RepoFacts&) const = default;
};

enum class Verdict : uint8_t { kUnknown, kPassed, kFailed };
inline constexpr base::Words<Verdict, 3> kVerdictWords{
    {{Verdict::kPassed, "passed"}, {Verdict::kFailed, "failed"}, {Verdict::kUnknown, "unknown"}}};

// A condition for the task's success, which the meta-agent has derived from the PRD.
struct Criterion {
  std::string id, description;
  Verdict verdict = Verdict::kUnknown;  // from the last assessment
  std::string comment = {};
  bool operator==(const Criterion&) const = default;
};

// How one run of the worker ended.
struct WorkerEnd {
  std::string run;     // the id of its run in orch; "" when it was not begun
  std::string reason;  // the reason that orch run gives: "idle", "agent_failed"; or "interrupted"
  std::string detail;  // one line, or ""
  int code = 0;        // exit code of orch run
  int64_t ms = 0;
  std::string words;  // the end of the worker's output
  event::Usage usage;
  int files = 0;                   // how many files were changed
  std::vector<std::string> paths;  // paths of some of the changed files
  bool commit = false;             // another commit is checked out than before
  std::string changes_unknown;     // why the changes are not known; "" if they are
  bool succeeded() const { return code == 0; }
  bool at_limit() const { return reason == "retry_later"; }
  bool operator==(const WorkerEnd&) const = default;
};

// How one run of the test command ended.
struct TestEnd {
  std::string run;
  int code = 0;  // exit code, as a shell reports it
  bool timed_out = false;
  int64_t ms = 0;
  std::string output;   // the end of the output
  std::string trouble;  // why orch could not run it; "": it ran
  bool passed() const { return code == 0 && !timed_out && trouble.empty(); }
  bool operator==(const TestEnd&) const = default;
};

enum class Action : uint8_t { kRunWorker, kMarkComplete, kAbort };
inline constexpr base::Words<Action, 3> kActionWords{{{Action::kRunWorker, "run_worker"},
                                                      {Action::kMarkComplete, "mark_complete"},
                                                      {Action::kAbort, "abort"}}};

// A decision of the meta-agent, and whether orch carried it out.
struct Decision {
  Action action = Action::kRunWorker;
  std::string reason;
  std::string refused;  // why orch did not carry it out; "" when it did
  TimeMs at = 0;
};

struct WorkerRun {
  int n = 0;  // from 1
  adapters::WorkerCall call;
  TimeMs begun = 0;
  std::optional<WorkerEnd> end;  // absent: the run has not ended
  size_t decision = 0;           // index of the decision that led to this run
};

struct TestRun {
  int n = 0;          // from 1
  int after = 0;      // the number of the worker run before it
  bool last = false;  // this is the final check, in VALIDATING
  TestEnd end;
};

inline std::string_view name(Verdict verdict) { return base::word_of(kVerdictWords, verdict); }
inline std::string_view name(Action action) { return base::word_of(kActionWords, action); }

// All facts about a task: the source of the questions to the meta-agent and of the note.
struct TaskFacts {
  RepoFacts repo;
  std::vector<Criterion> criteria;
  std::vector<Decision> decisions;
  std::vector<WorkerRun> runs;
  std::vector<TestRun> tests;
  std::string summary;  // the summary of the last assessment
  int questions = 0;    // how many questions were asked
  event::Usage usage;   // of meta-agent and worker together
};

}  // namespace orch::task
