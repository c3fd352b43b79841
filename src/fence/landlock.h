#pragma once

#include "base/result.h"
#include "fence/plan.h"

namespace orch::fence {

// What the kernel's Landlock can do: the version of its interface, 0 where it has none or it is
// switched off. 1 (Linux 5.13) holds files; 2 moves between folders; 3 truncation; 4 (6.7) TCP
// ports; 5 ioctl on devices; 6 (6.12) abstract sockets and signals.
int landlock_version();

// From now on this thread and all that it starts may only touch what the plan grants, as far as
// this kernel's version can tell. Needs no_new_privs. For ever.
base::Status restrict_with_landlock(const Plan& plan);

}  // namespace orch::fence
