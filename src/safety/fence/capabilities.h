#pragma once

#include "base/result.h"

namespace orch::fence {

// Drops most of root's capabilities from this process and all that it starts: those for the clock,
// mounts, kernel modules, other processes, raw devices and the network, except binding low ports.
// The rest still lets root read and write files of any owner, change owners and modes, and become
// another user.
base::Status drop_capabilities();

}  // namespace orch::fence
