#pragma once

#include <cstdint>

#include "base/fd.h"
#include "base/result.h"

namespace orch::gateway {

// A socket that listens on a free port of 127.0.0.1, non-blocking.
base::Result<base::Fd> listen_on_loopback();
uint16_t port_of(const base::Fd& socket);
// Sends small pieces at once: each event of an answer goes on as it comes.
void send_at_once(const base::Fd& socket);

}  // namespace orch::gateway
