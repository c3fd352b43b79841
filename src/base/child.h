#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

// Small parts of starting a child process and of taking its answer.
namespace orch::base {

struct PipeEnds {
  Fd read, write;
};

// A pipe that children do not inherit.
Result<PipeEnds> open_pipe();

// An anonymous file with this content, at its start; empty, with errno, on failure. Unlike a pipe
// it takes any number of bytes at once, and keeps them when its writer is gone.
Fd memory_file(std::string_view content);

// All that comes until the end or an error.
std::string read_to_end(const Fd& from);

// The words for exec: pointers into `words`, and a null pointer at the end.
std::vector<char*> pointers(const std::vector<std::string>& words);

// Waits for the end of a child of this process, and returns its status (waitpid(2)).
int end_of(pid_t child);

}  // namespace orch::base
