#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orch::event {

// Why a run ended. `orch run --help`, result.json, the last line on stderr and the exit code are
// all made from this one list, so that they cannot disagree.
enum class ExitReason : uint8_t {
  kComplete,
  kIdle,
  kExit,
  kAgentFailed,
  kExitedEarly,
  kAgentError,
  kOffTape,
  kTaskFailed,
  kUsage,
  kNeedsHuman,
  kCallsUnread,
  kGateFailed,
  kNoChanges,
  kRetryLater,
  kTimeout,
  kTurns,
  kTokens,
  kCost,
  kStuck,
  kInternal,
  kNotExecutable,
  kNotFound,
  kAgentSignal,  // 128 + the signal
  kInterrupted,
  kTerminated,
  kKilled,
};

struct ExitRow {
  ExitReason reason;
  int code;                      // for kAgentSignal: the base for the signal's number
  std::string_view name;         // the word in result.json
  std::string_view description;  // one line of help
};
std::span<const ExitRow> exit_table();

// Whether no run ends with this reason, so that `orch run --help` leaves it out: only tasks do.
bool is_reserved(ExitReason reason);

std::string_view name(ExitReason reason);
std::optional<ExitReason> exit_reason_named(std::string_view name);
int exit_code(ExitReason reason, int signal = 0);
ExitReason reason_of(base::ErrorCode code);  // the reason to end with after this error
int exit_code(base::ErrorCode code);         // the exit code of a command after this error

// The exit code of a command that ran several issues with the exit codes `codes`. It does not
// depend on the order of their ends.
int combined_exit_code(std::span<const int> codes);
// The order of precedence among the codes, for help: "125, 130, 143, 1, 20, 21, ..., the greatest
// other, 10, 124, 75, 0".
std::string combined_order();

}  // namespace orch::event
