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
  std::string detail;  // one line or the dialog's text; "" when the reason says it all
  std::optional<int> agent_code;
  int agent_signal = 0;
  std::optional<int64_t> retry_after_s;
};
int exit_code(const Verdict& verdict);

// All that decides how a run ends.
struct Facts {
  std::string what_runs = "the agent";  // as the detail calls it
  // What was asked for.
  Until until = Until::kComplete;
  std::string keyword;
  bool require_changes = false;

  // What ended the run before the agent was done: a signal, a limit, a dialog that nobody answers,
  // orch's own failure.
  struct Cut {
    event::ExitReason reason = event::ExitReason::kInternal;
    std::string detail;
  };
  std::optional<Cut> cut;
  // The agent's process ended of its own accord.
  struct Left {
    int code = 0;
    int signal = 0;
  };
  std::optional<Left> left;
  bool turn_over = false;     // the agent rests after its turn
  bool said_keyword = false;  // as the last words of it
  bool ends_in_tool = false;  // the turn, with no word after it
  event::AgentStatus status = event::AgentStatus::kStarting;
  event::Cause cause = event::Cause::kNone;

  // Once the agent has done what it was asked.
  std::vector<GateEnd> gates;      // that were run last, in their order
  std::optional<Changes> changes;  // where they were looked for
};

// The one place that says how a run ended. The first that holds: what cut the run, how the agent
// left, its error, whether it did what it was asked, its gates, its changes. Total: facts that say
// nothing of the end mean that the agent did not do what it was asked.
Verdict judge(const Facts& facts);

// Whether the agent has done what it was asked, as far as the agent goes: without gates and
// changes.
bool is_done(const Facts& facts);

// A gate that failed, in one line: "make test exited with 2".
std::string describe(const GateEnd& gate);

}  // namespace orch::run
