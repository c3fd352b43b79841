#pragma once

#include "agent/dialog_request.h"
#include "detect/dialog.h"
#include "event/status.h"

namespace orch::driver {

// What a dialog on the screen asks for. `kind` is the detector's, for a dialog that the agent's
// manifest does not know; such a request is never complete.
agent::DialogRequest request_of(const detect::DialogView& dialog, event::Cause kind);

}  // namespace orch::driver
