#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "event/exit_reason.h"
#include "event/status.h"

// Why a turn failed, as data for a client. Pure.
namespace orch::acp {

struct Failure {
  std::string kind;  // auth, rate_limit, overloaded, api, model, context, timeout, limit, crash
  std::string text;  // one line
  std::optional<int64_t> retry_after_s;
};

// The failure that a status of error stands for.
Failure failure_of(event::Cause cause);
// The failure of a run that ended.
Failure failure_of(event::ExitReason reason, event::Cause last_cause, std::string_view detail);

int code_of(const Failure& failure);  // of the JSON-RPC error
base::Json data_of(const Failure& failure, const std::string& run);
// A line for standard error in the words by which Harbor's runner of ACP agents knows the cause.
std::string phrase_of(const Failure& failure);

}  // namespace orch::acp
