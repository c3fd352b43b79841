#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "event/exit_reason.h"
#include "event/status.h"
#include "run/gate.h"

namespace orch::run {

enum class Until : uint8_t { kComplete, kIdle, kExit };

// How a run ended. The exit code is event::exit_code(reason, agent_signal).
struct Verdict {
  event::ExitReason reason = event::ExitReason::kInternal;
  std::string detail;  // one line, or the text of a dialog; "" if the reason says it all
  std::optional<int> agent_code;
  int agent_signal = 0;
  std::optional<int64_t> retry_after_s;
  std::vector<std::string> answers = {};  // the dialog's possible answers, if a dialog ended the
                                          // run
};
int exit_code(const Verdict& verdict);

// All the facts that decide how a run ends.
struct Facts {
  std::string what_runs = "the agent";  // what Verdict::detail calls the agent
  // The goal of the run.
  Until until = Until::kComplete;
  std::string keyword;
  bool require_changes = false;

  // The reason that ended the run before the agent was done: a signal, a limit, a dialog that
  // nobody answered or a failure of orch itself.
  struct Cut {
    event::ExitReason reason = event::ExitReason::kInternal;
    std::string detail;
  };
  std::optional<Cut> cut;
  // How the agent's process ended, if it ended by itself.
  struct Left {
    int code = 0;
    int signal = 0;
  };
  std::optional<Left> left;
  bool turn_over = false;     // the agent rests after its turn
  bool said_keyword = false;  // the keyword was the last words of the turn
  bool ends_in_tool = false;  // the turn ended with a tool and no words after it
  event::AgentStatus status = event::AgentStatus::kStarting;
  event::Cause cause = event::Cause::kNone;

  // The checks of the work, once the agent has met the run's goal.
  std::vector<GateEnd> gates;      // the results of the last checks, in order
  std::optional<Changes> changes;  // set if changes were looked for
};

// Decides how a run ended; no other code does. The first of these facts that applies decides: an
// event that cut the run short, how the agent's process ended, the error of its turn, whether it
// met the run's goal, its gates, its changes. There always is a verdict: if no fact shows the end,
// the agent did not meet the goal.
Verdict judge(const Facts& facts);

// Whether the agent has met the run's goal, regardless of gates and changes.
bool is_done(const Facts& facts);

// The result of a failed gate in one line: "make test exited with 2".
std::string describe(const GateEnd& gate);

}  // namespace orch::run
