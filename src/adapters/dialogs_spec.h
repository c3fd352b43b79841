#pragma once

#include "base/json_fwd.h"
#include "detect/dialog_rules.h"

namespace orch::adapters {

// Reads a manifest's `dialogs`: how the agent draws its dialogs, and where they show a command or a
// path. Errors are reported through `parent`, in one line that names the dialog and the field.
void read_dialogs(base::JsonMembers& parent, detect::DialogsSpec& dialogs);

}  // namespace orch::adapters
