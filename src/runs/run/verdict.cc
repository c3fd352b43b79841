#include "run/verdict.h"

#include <algorithm>

#include "base/text.h"
#include "run/output_check.h"

namespace orch::run {

using event::ExitReason;

namespace {

constexpr size_t kShownCommand = 200;  // bytes

Verdict ended_by(ExitReason reason, std::string detail = "") {
  Verdict verdict;
  verdict.reason = reason;
  verdict.detail = std::move(detail);
  return verdict;
}

Verdict of_process(const std::string& what_runs, const Facts::Left& left) {
  if (left.signal == 0) {
    return ended_by(ExitReason::kAgentFailed,
                    what_runs + " exited with " + std::to_string(left.code));
  }
  Verdict verdict = ended_by(ExitReason::kAgentSignal,
                             what_runs + " died of signal " + std::to_string(left.signal));
  verdict.agent_signal = left.signal;
  return verdict;
}

Verdict of_error(event::Cause cause) {
  return ended_by(ExitReason::kAgentError,
                  "the turn ended in an error: " + std::string(event::name(cause)));
}

// The verdict on an agent that has neither failed nor met an error.
Verdict of_task(const Facts& facts) {
  switch (facts.until) {
    case Until::kComplete:
      if (facts.said_keyword) return ended_by(ExitReason::kComplete);
      return ended_by(ExitReason::kExitedEarly,
                      facts.what_runs + " exited without " + facts.keyword);
    case Until::kIdle:
      if (!facts.turn_over) {
        return ended_by(ExitReason::kExitedEarly, facts.what_runs + " exited before it was idle");
      }
      if (!facts.ends_in_tool) return ended_by(ExitReason::kIdle);
      return ended_by(ExitReason::kAgentError, "the turn ended with a tool, and no word after it");
    case Until::kExit:
      if (facts.left) return ended_by(ExitReason::kExit);
      return ended_by(ExitReason::kExitedEarly, facts.what_runs + " did not exit");
  }
  return {};
}

Verdict of_agent(const Facts& facts) {
  if (facts.cut) return ended_by(facts.cut->reason, facts.cut->detail);
  if (facts.left && (facts.left->signal != 0 || facts.left->code != 0)) {
    return of_process(facts.what_runs, *facts.left);
  }
  if (facts.turn_over && !facts.left && facts.status == event::AgentStatus::kError) {
    return of_error(facts.cause);
  }
  return of_task(facts);
}

bool is_good(const Verdict& verdict) { return event::exit_code(verdict.reason) == 0; }

}  // namespace

int exit_code(const Verdict& verdict) {
  return event::exit_code(verdict.reason, verdict.agent_signal);
}

bool is_done(const Facts& facts) { return is_good(of_agent(facts)); }

std::string describe(const GateEnd& gate) {
  if (gate.command == kOutputCheck && !gate.output.empty()) {
    return gate.command + ": " + gate.output;
  }
  const std::string whole = base::printable(gate.command);
  std::string command(base::beginning(whole, kShownCommand));
  if (command.size() < whole.size()) command += "…";
  if (gate.timed_out) {
    return command + " was killed after " + std::to_string(gate.ms / 1'000) + "s";
  }
  return command + " exited with " + std::to_string(gate.code);
}

Verdict judge(const Facts& facts) {
  Verdict verdict = of_agent(facts);
  if (!is_good(verdict)) return verdict;
  const auto failed = std::find_if(facts.gates.begin(), facts.gates.end(),
                                   [](const GateEnd& gate) { return !gate.passed(); });
  if (failed != facts.gates.end()) return ended_by(ExitReason::kGateFailed, describe(*failed));
  if (!facts.require_changes) return verdict;
  if (facts.changes && facts.changes->any()) return verdict;
  if (!facts.changes || !facts.changes->unknown.empty()) {
    return ended_by(ExitReason::kInternal,
                    "--require-changes: the changes are unknown: " +
                        (facts.changes ? facts.changes->unknown : "nobody looked"));
  }
  return ended_by(ExitReason::kNoChanges,
                  facts.what_runs + " says that it is done, but changed nothing");
}

}  // namespace orch::run
