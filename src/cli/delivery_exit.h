#pragma once

#include "agent/delivery_result.h"
#include "base/result.h"

namespace orch::cli {

// How `orch send` and `orch crew nudge` exit, by what became of the message.
int exit_code_of(agent::DeliveryResult result);
// ... and where none was told: whether something was typed is not known, unless the host said so.
int exit_code_of(const base::Error& error);

}  // namespace orch::cli
