#pragma once

#include <sys/types.h>

#include "base/fd.h"

// Uses system calls: glibc 2.36 declares these functions without C linkage.
namespace orch::loop {

// Close-on-exec; empty if the system has none (before Linux 5.3).
base::Fd open_pidfd(pid_t pid);
bool signal_pidfd(const base::Fd& pidfd, int signum);

}  // namespace orch::loop
