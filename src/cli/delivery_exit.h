#pragma once

#include "agent/delivery_result.h"
#include "base/result.h"

namespace orch::cli {

// The exit code of `orch send` and `orch crew nudge` for the fate of the message.
int exit_code_of(agent::DeliveryResult result);
// The exit code for an error in place of a result. Unless the host said that it refused the
// message, it is not known whether something was typed.
int exit_code_of(const base::Error& error);

}  // namespace orch::cli
