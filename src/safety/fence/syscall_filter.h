#pragma once

#include "base/result.h"
#include "fence/plan.h"

namespace orch::fence {

// Whether system calls can be filtered on this machine.
bool has_syscall_filter();

// Refuses, for ever, the system calls that reach out of the fence and that Landlock does not see:
// changing limits, priorities and processors of other processes (without namespaces, where those
// can be named), kernel keys, io_uring, typing into a terminal for others, and if the network is
// limited, every way to use it but plain TCP. Programs of another architecture are killed. Needs
// no_new_privs.
base::Status filter_syscalls(const Plan& plan);

}  // namespace orch::fence
