#pragma once

#include "agent/delivery_result.h"

namespace orch::cli {

// How `orch send` and `orch crew nudge` exit, by what became of the message.
int exit_code_of(agent::DeliveryResult result);

}  // namespace orch::cli
