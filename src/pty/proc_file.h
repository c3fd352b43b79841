#pragma once

#include <sys/types.h>

#include <string>

namespace orch::pty {

// The content of a file in /proc/<pid>; "" if the process is gone or we may not read it.
std::string read_proc(pid_t pid, const std::string& file);

}  // namespace orch::pty
