#pragma once

#include "base/result.h"
#include "fence/plan.h"

namespace orch::fence {

// The version of the kernel's Landlock interface, 0 if it has none or it is switched off. Version 1
// (Linux 5.13) limits access to files; 2 also moves between folders; 3 truncation; 4 (6.7) TCP
// ports; 5 ioctl on devices; 6 (6.12) abstract sockets and signals.
int landlock_version();

// Limits this thread and all that it starts, for ever, to the plan's grants, as far as this
// kernel's version can. Needs no_new_privs.
base::Status restrict_with_landlock(const Plan& plan);

}  // namespace orch::fence
