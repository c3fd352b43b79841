#pragma once

#include "detect/dialog_rules.h"

namespace orch::adapters {

class Members;

// The members of a manifest's `dialogs`: how the agent draws its dialogs, and where they show a
// command or a path.
void dialogs_members(Members& in, detect::DialogsSpec& dialogs);

}  // namespace orch::adapters
