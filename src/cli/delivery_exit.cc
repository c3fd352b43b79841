#include "cli/delivery_exit.h"

#include "cli/command.h"
#include "event/exit_reason.h"

namespace orch::cli {

int exit_code_of(agent::DeliveryResult result) {
  using event::ExitReason;
  switch (result) {
    case agent::DeliveryResult::kAccepted:
      return 0;
    case agent::DeliveryResult::kUnfinished:
      return kUnfinished;
    case agent::DeliveryResult::kUnconfirmed:
      return kUnconfirmed;
    case agent::DeliveryResult::kBlocked:
      return event::exit_code(ExitReason::kNeedsHuman);
    case agent::DeliveryResult::kTimeout:
      return event::exit_code(ExitReason::kTimeout);
    case agent::DeliveryResult::kExited:
      return kNoSuchSession;
    case agent::DeliveryResult::kWouldBeCommand:
      return event::exit_code(ExitReason::kUsage);
  }
  return event::exit_code(ExitReason::kInternal);
}

int exit_code_of(const base::Error& error) {
  switch (error.code) {
    case base::ErrorCode::kUsage:
      return event::exit_code(error.code);
    case base::ErrorCode::kNotFound:
      return kNoSuchSession;
    case base::ErrorCode::kShortage:
      return kNothingTyped;
    case base::ErrorCode::kNotExecutable:
    case base::ErrorCode::kSystem:  // the host died, or its answer is not understood
      break;
  }
  return event::exit_code(event::ExitReason::kInternal);
}

}  // namespace orch::cli
