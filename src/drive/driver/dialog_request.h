#pragma once

#include "agent/dialog_request.h"
#include "detect/dialog.h"
#include "event/status.h"

namespace orch::driver {

// Turns a dialog on the screen into a request. `kind` is the cause that the detector found; it is
// used for a dialog that the agent's manifest does not know, whose request is never complete.
agent::DialogRequest request_of(const detect::DialogView& dialog, event::Cause kind);

}  // namespace orch::driver
