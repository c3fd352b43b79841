#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orch::event {

// Why a run ended. The one list that `orch run --help`, result.json, the last line on stderr and
// the exit code are all made from, so that they cannot disagree.
enum class ExitReason : uint8_t {
  kComplete,
  kIdle,
  kExit,
  kAgentFailed,
  kExitedEarly,
  kAgentError,
  kTaskFailed,
  kUsage,
  kNeedsHuman,
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
  int code;                      // for kAgentSignal the base to which the signal is added
  std::string_view name;         // the word in result.json
  std::string_view description;  // one line of help
};
std::span<const ExitRow> exit_table();

// Nothing ends so yet: help does not name it.
bool is_reserved(ExitReason reason);

std::string_view name(ExitReason reason);
std::optional<ExitReason> exit_reason_named(std::string_view name);
int exit_code(ExitReason reason, int signal = 0);
ExitReason reason_of(base::ErrorCode code);  // why what was asked for could not be done
int exit_code(base::ErrorCode code);         // of a command that could not do its work

// Of several issues in one command, the code of the whole, which does not depend on which of them
// ended first.
int combined_exit_code(std::span<const int> codes);
// The first that applies is it: "125, 130, 143, 1, 20, 21, ..., the greatest other, 10, 124, 75,
// 0".
std::string combined_order();

}  // namespace orch::event
