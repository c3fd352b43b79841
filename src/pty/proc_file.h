#pragma once

#include <sys/types.h>

#include <string>

namespace orch::pty {

// A file of /proc/<pid>; empty when the process is gone or not ours to look at.
std::string read_proc(pid_t pid, const std::string& file);

}  // namespace orch::pty
