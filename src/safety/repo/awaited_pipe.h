#pragma once

#include <sys/types.h>

#include <string>

namespace orch::repo {

// The named pipe that a process of ours, or a descendant of it, waits to open or to read; "" if
// there is none, or if the kernel does not report what they wait for. An agent can put such a pipe
// wherever git looks for a file, and git then waits for ever.
std::string awaited_pipe(pid_t process);

}  // namespace orch::repo
