#pragma once

#include "base/result.h"

namespace orch::fence {

// Takes from this process, and from all that it starts, what root may do beyond files: the clock,
// mounts, modules, other processes, raw devices and the network's. What is left lets root read and
// write files of any owner, change owners and modes, and become another user.
base::Status drop_capabilities();

}  // namespace orch::fence
