#pragma once

#include "base/result.h"
#include "fence/plan.h"

namespace orch::fence {

// Can system calls be filtered here?
bool has_syscall_filter();

// Refuses the system calls that reach out of the fence and that Landlock does not see: changing
// limits, priorities and processors of other processes (where those can be named: without
// namespaces), kernel keys, io_uring, typing into a terminal for others, and where the network is
// limited every way to use it but plain TCP. Programs of another architecture are ended. Needs
// no_new_privs. For ever.
base::Status filter_syscalls(const Plan& plan);

}  // namespace orch::fence
