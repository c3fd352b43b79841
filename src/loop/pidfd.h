#pragma once

#include <sys/types.h>

#include "base/fd.h"

// By system call: glibc 2.36 declares these functions without C linkage.
namespace orch::loop {

base::Fd open_pidfd(
    pid_t pid);  // close-on-exec; empty where the system gives none (before Linux 5.3)
bool signal_pidfd(const base::Fd& pidfd, int signum);

}  // namespace orch::loop
