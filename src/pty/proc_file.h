#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace orch::pty {

// The content of a file in /proc/<pid>; "" if the process is gone or we may not read it.
std::string read_proc(pid_t pid, const std::string& file);
// ... nullopt then, or if the kernel lacks this file.
std::optional<std::string> find_proc(pid_t pid, const std::string& file);

}  // namespace orch::pty
