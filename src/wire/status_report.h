#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "event/status.h"
#include "event/usage.h"

namespace orch::wire {

// The dialog that waits for somebody's answer.
struct DialogReport {
  struct Option {
    int number = 0;  // as an answer names it, from 1
    std::string text;
    std::string meaning;  // of agent::Meaning: "allow once", "allow always", "deny", "other"
    bool operator==(const Option&) const = default;
  };
  std::string id;  // the same while the same dialog stands, another one for the next
  event::Cause kind = event::Cause::kNone;
  std::string title;
  std::string text;       // what it asks, in one line (event::question_of)
  std::string command;    // that it asks for; "" when it is none
  bool complete = false;  // all of it was seen: what was not may be answered by number alone
  std::vector<Option> options;
  bool operator==(const DialogReport&) const = default;
};

// What a run may take in all; 0: there is no such bound.
struct BudgetReport {
  int64_t tokens = 0;  // in and out together
  double cost_usd = 0;
  int64_t ms = 0;  // of the run
  bool operator==(const BudgetReport&) const = default;
};

// How a session stands. Times are milliseconds since the run's start. Texts that an agent wrote are
// printable. A host that is older says nothing of what stands below `pid`.
struct StatusReport {
  std::string session, issue, agent, run, run_dir, repository;
  event::AgentStatus status = event::AgentStatus::kStarting;
  event::Cause cause = event::Cause::kNone;
  int64_t since_ms = 0;  // when this status began
  int64_t ms = 0;        // now: the age of the run
  int turns = 0;
  int pending = 0;  // 0: the run is at rest (run::Machine::pending())
  int pid = 0;      // of the host
  std::optional<DialogReport> dialog;
  std::string last_words;  // the agent's last settled line, cut to kMostLastWords bytes
  int64_t words_ms = 0;    // when it was said; 0 when nothing was
  int cols = 0, rows = 0;  // of the agent's terminal; 0 when it has none
  int viewers = 0;         // who is attached
  std::string manager = "native";
  std::optional<event::Usage> usage;   // of the run so far; nothing where its agent does not tell
  std::optional<BudgetReport> budget;  // nothing: no bound
  bool operator==(const StatusReport&) const = default;
};
inline constexpr size_t kMostLastWords = 200;

}  // namespace orch::wire
