#pragma once

#include "base/result.h"

namespace orch::fence {

// Drops the capabilities by which root could do more than with files, from this process and all
// that it starts: those for the clock, mounts, kernel modules, other processes, raw devices and the
// network. The rest still lets root read and write files of any owner, change owners and modes, and
// become another user.
base::Status drop_capabilities();

}  // namespace orch::fence
