#pragma once

#include <cstdint>
#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace orch::fence {

// The one exit of a fence that has a network namespace of its own. The process in the fence makes a
// socket that listens on 127.0.0.1 there, and hands it out through a socket in the run's folder. At
// the other end of that, orch accepts the connections. So no process outside of the fence can
// connect, and a process in it reaches nobody else.

// orch's end: a socket that listens in the folder, non-blocking.
base::Result<base::Fd> open_door(const std::string& folder);
// Takes the socket that has come over a connection to that one; non-blocking. An error if it is
// anything but a listening TCP socket on 127.0.0.1, or if none has come.
base::Result<base::Fd> take_exit(int connection);

// The end in the fence: listens on 127.0.0.1, on this port, and hands the socket out.
base::Status hand_out_exit(const std::string& folder, uint16_t port);

}  // namespace orch::fence
