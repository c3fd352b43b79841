#include "event/exit_reason.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace orch::event {
namespace {

constexpr std::array<ExitRow, 26> kTable{{
    {ExitReason::kComplete, 0, "complete", "the agent said the keyword, every gate passed"},
    {ExitReason::kIdle, 0, "idle", "--until idle: the agent finished its turn"},
    {ExitReason::kExit, 0, "exit", "--until exit: the agent exited with 0"},
    {ExitReason::kAgentFailed, 1, "agent_failed", "the agent exited with another code than 0"},
    {ExitReason::kExitedEarly, 1, "exited_early",
     "the agent exited with 0 before it said the keyword"},
    {ExitReason::kAgentError, 1, "agent_error",
     "the agent's turn ended in an error (auth, api, model, context)"},
    {ExitReason::kOffTape, 1, "off_tape", "--replay-wire: the agent asked what is not on the tape"},
    {ExitReason::kTaskFailed, 1, "task_failed", "the task did not reach its goal"},
    {ExitReason::kUsage, 2, "usage", "wrong usage or configuration"},
    {ExitReason::kNeedsHuman, 10, "needs_human", "a dialog that no policy answers"},
    {ExitReason::kCallsUnread, 10, "calls_unread", "a call may have run that orch has not read"},
    {ExitReason::kGateFailed, 20, "gate_failed", "a --verify command failed"},
    {ExitReason::kNoChanges, 21, "no_changes", "--require-changes: nothing was changed"},
    {ExitReason::kRetryLater, 75, "retry_later",
     "rate limit or overload; retry_after_ms in result.json"},
    {ExitReason::kTimeout, 124, "timeout", "--timeout passed"},
    {ExitReason::kTurns, 124, "turns", "--max-turns used up"},
    {ExitReason::kTokens, 124, "tokens", "--max-tokens used up"},
    {ExitReason::kCost, 124, "cost", "--max-cost used up"},
    {ExitReason::kStuck, 124, "stuck",
     "the agent works but does not move, --idle-timeout passed, or its prompt was never ready"},
    {ExitReason::kInternal, 125, "internal",
     "orch itself failed (state directory, disk full, ...)"},
    {ExitReason::kNotExecutable, 126, "not_executable", "the agent's program may not be executed"},
    {ExitReason::kNotFound, 127, "not_found", "the agent's program was not found"},
    {ExitReason::kAgentSignal, 128, "agent_signal", "128+n: the agent died of signal n"},
    {ExitReason::kInterrupted, 130, "interrupted", "Ctrl-C"},
    {ExitReason::kTerminated, 143, "terminated", "SIGTERM"},
    {ExitReason::kKilled, 137, "killed", "ended by orch kill"},
}};

const ExitRow& row_of(ExitReason reason) {
  for (const ExitRow& row : kTable) {
    if (row.reason == reason) return row;
  }
  base::check_failed("an exit reason has a row", __FILE__, __LINE__);
}

}  // namespace

std::span<const ExitRow> exit_table() { return kTable; }

bool is_reserved(ExitReason reason) { return reason == ExitReason::kTaskFailed; }

std::string_view name(ExitReason reason) { return row_of(reason).name; }

std::optional<ExitReason> exit_reason_named(std::string_view name) {
  for (const ExitRow& row : kTable) {
    if (row.name == name) return row.reason;
  }
  return std::nullopt;
}

int exit_code(ExitReason reason, int signal) {
  const int base = row_of(reason).code;
  return reason == ExitReason::kAgentSignal ? base + signal : base;
}

ExitReason reason_of(base::ErrorCode code) {
  switch (code) {
    case base::ErrorCode::kUsage:
      return ExitReason::kUsage;
    case base::ErrorCode::kNotFound:
      return ExitReason::kNotFound;
    case base::ErrorCode::kNotExecutable:
      return ExitReason::kNotExecutable;
    case base::ErrorCode::kSystem:
    case base::ErrorCode::kShortage:
      return ExitReason::kInternal;
  }
  return ExitReason::kInternal;
}

int exit_code(base::ErrorCode code) { return exit_code(reason_of(code)); }

namespace {

// The order of precedence among several exit codes: those of kBeforeOthers, then any code that
// neither list has, then those of kAfterOthers. An issue that was interrupted or could not be
// started says nothing about its work; the codes where the user or more time would help come last.
constexpr std::array kBeforeOthers{125, 130, 143, 1, 20, 21, 2, 126, 127, 137};
constexpr std::array kAfterOthers{10, 124, 75, 0};

}  // namespace

int combined_exit_code(std::span<const int> codes) {
  const auto has = [codes](int code) { return std::ranges::find(codes, code) != codes.end(); };
  for (const int code : kBeforeOthers) {
    if (has(code)) return code;
  }
  int other = 0;
  for (const int code : codes) {
    if (std::ranges::find(kAfterOthers, code) == kAfterOthers.end()) other = std::max(other, code);
  }
  if (other != 0) return other;
  for (const int code : kAfterOthers) {
    if (has(code)) return code;
  }
  return 0;
}

std::string combined_order() {
  std::string text;
  for (const int code : kBeforeOthers) text += std::to_string(code) + ", ";
  text += "the greatest other";
  for (const int code : kAfterOthers) text += ", " + std::to_string(code);
  return text;
}

}  // namespace orch::event
