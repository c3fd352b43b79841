#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "task/task_machine.h"

namespace orch::task {

inline constexpr int kJournalVersion = 1;  // of the format, the member "v"
inline constexpr size_t kMaxJournalBytes = size_t{256} << 20;

// The first line of a journal: its task and repository.
struct Opened {
  std::string id;
  std::string repo;  // absolute
  bool operator==(const Opened&) const = default;
};
// Written before a step is begun, so that a step that was under way when orch died can be
// recognised.
struct StepBegun {
  std::string step;  // "plan_task", "next_action", "completion_assessment", "worker", "test"
  int n = 0;
  bool operator==(const StepBegun&) const = default;
};

// A line of journal.jsonl: an event of a task, and its time.
struct JournalEntry {
  TimeMs ms = 0;     // on the task's own clock
  std::string time;  // RFC 3339, UTC
  std::variant<Opened, StepBegun, Event> what;
};

// One JSON record without its line feed. Text that is not UTF-8 becomes U+FFFD, so a machine must
// be given the entry in the form that is read back, or a replay could differ.
std::string to_json(const JournalEntry& entry);
base::Result<JournalEntry> parse_entry(std::string_view line);

// Reads a whole journal. A last line without its line feed was being written when orch died and is
// ignored; any other line that cannot be read is an error: "NAME:LINE: ...".
base::Result<std::vector<JournalEntry>> read_journal(std::string_view text, std::string_view name);
// How many bytes of a journal's text belong to whole lines.
size_t whole_lines(std::string_view text);

// The results of replay() besides the machine's state.
struct Replayed {
  TimeMs ms = 0;            // the time of the last entry
  bool step_begun = false;  // the machine's open step was under way when the journal ended
};
// Feeds a journal's events to `machine` and drops its commands. An error names the line that does
// not follow from those before it.
base::Result<Replayed> replay(const std::vector<JournalEntry>& entries, std::string_view name,
                              Machine& machine);

// The journal's record that this step is begun.
StepBegun begun(const Command& command);

}  // namespace orch::task
