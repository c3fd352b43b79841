#include "cli/delivery_exit.h"

#include "cli/command.h"
#include "event/exit_reason.h"

namespace orch::cli {

int exit_code_of(agent::DeliveryResult result) {
  using event::ExitReason;
  switch (result) {
    case agent::DeliveryResult::kAccepted:
      return 0;
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

}  // namespace orch::cli
