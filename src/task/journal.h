#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "task/task_machine.h"

namespace orch::task {

inline constexpr int kJournalVersion = 1;  // "v"
inline constexpr size_t kMaxJournalBytes = size_t{256} << 20;

// The first line: whose journal it is.
struct Opened {
  std::string id;
  std::string repo;  // absolute
  bool operator==(const Opened&) const = default;
};
// Written before a step is begun, so that one that was under way when orch died is known.
struct StepBegun {
  std::string step;  // "plan_task", "next_action", "completion_assessment", "worker", "test"
  int n = 0;
  bool operator==(const StepBegun&) const = default;
};

// A line of journal.jsonl: what happened to a task, and when.
struct JournalEntry {
  TimeMs ms = 0;     // the task's own time
  std::string time;  // RFC 3339, UTC
  std::variant<Opened, StepBegun, Event> what;
};

// One JSON record without its line feed. Text that is not UTF-8 becomes U+FFFD: who feeds a machine
// gives it what was read back.
std::string to_json(const JournalEntry& entry);
base::Result<JournalEntry> parse_entry(std::string_view line);

// All of a journal. A last line without its line feed was being written when orch died, and does
// not count; any other line that cannot be read is an error: "NAME:LINE: ...".
base::Result<std::vector<JournalEntry>> read_journal(std::string_view text, std::string_view name);
// How many bytes of a journal's text are whole lines.
size_t whole_lines(std::string_view text);

// Where a machine stands that was given a journal's events.
struct Replayed {
  TimeMs ms = 0;            // of the last entry
  bool step_begun = false;  // the open step was under way
};
// An error names the line that does not follow from those before it.
base::Result<Replayed> replay(const std::vector<JournalEntry>& entries, std::string_view name,
                              Machine& machine);

// The journal's word for a step.
StepBegun begun(const Command& command);

}  // namespace orch::task
