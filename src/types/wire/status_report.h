#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "event/status.h"
#include "event/usage.h"

namespace orch::wire {

// A dialog that waits for somebody's answer.
struct DialogReport {
  struct Option {
    int number = 0;  // the answer that chooses it, from 1
    std::string text;
    // The name of an agent::Meaning: "allow once", "allow always", "deny", "other"
    std::string meaning;
    std::string description = {};     // the agent's description; "" without one
    std::optional<bool> ticked = {};  // its tick box; absent: it has none
    bool operator==(const Option&) const = default;
  };
  std::string id;  // stays the same while the dialog stands, and is different for the next one
  event::Cause kind = event::Cause::kNone;
  std::string title;
  std::string text;     // its question, in one line (event::question_of)
  std::string command;  // the command that it asks about, each line feed as ⏎; "" if there is none
  std::string body;     // its other words; "" if it asks about a command
  bool complete = false;   // all of it was seen; otherwise it can be answered only by a number
  bool shortened = false;  // a text in this report ends before the dialog's does
  std::vector<Option> options;
  bool is_set() const;  // an answer names all options that shall be ticked
  bool operator==(const DialogReport&) const = default;
};

// The option in words: "2. [x] Red - the colour of fire".
std::string label(const DialogReport::Option& option);

// The limits of a run; 0 means no limit.
struct BudgetReport {
  int64_t tokens = 0;  // in and out together
  double cost_usd = 0;
  int64_t ms = 0;  // duration of the run
  bool operator==(const BudgetReport&) const = default;
};

// The state of a session. Times are milliseconds since the start of the run. Texts that an agent
// wrote are printable. Hosts of older versions do not send all of these members.
struct StatusReport {
  std::string session, issue, agent, run, run_dir, repository;
  event::AgentStatus status = event::AgentStatus::kStarting;
  event::Cause cause = event::Cause::kNone;
  int64_t since_ms = 0;  // when this status began
  int64_t ms = 0;        // the age of the run
  int turns = 0;
  int pending = 0;  // 0: nothing is pending in the run (run::Machine::pending())
  int pid = 0;      // of the host
  std::optional<DialogReport> dialog;
  std::string last_words;  // the agent's last settled line, cut to kMostLastWords bytes
  int64_t words_ms = 0;    // when it was said; 0 if there is none
  int cols = 0, rows = 0;  // of the agent's terminal; 0 if it has none
  int viewers = 0;         // how many viewers are attached
  std::string manager = "native";
  std::optional<event::Usage> usage;   // of the run so far; absent if its agent does not report it
  std::optional<BudgetReport> budget;  // absent: no limit
  // Until the limit of the provider that the turn met ends; absent: the agent named no time
  std::optional<int64_t> retry_after_ms;
  bool operator==(const StatusReport&) const = default;
};
inline constexpr size_t kMostLastWords = 200;

}  // namespace orch::wire
