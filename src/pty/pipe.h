#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/fd.h"
#include "base/result.h"

namespace orch::pty {

struct PipeEnds {
  base::Fd read, write;
};

// A pipe that children do not inherit.
inline base::Result<PipeEnds> open_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return base::system_error("open a pipe", errno);
  return PipeEnds{base::Fd(ends[0]), base::Fd(ends[1])};
}

}  // namespace orch::pty
