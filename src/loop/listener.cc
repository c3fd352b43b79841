#include "loop/listener.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "base/check.h"

namespace orch::loop {
namespace {

constexpr int kAcceptsPerWakeUp = 64;  // so that a flood of connections cannot starve the loop

// Errors of one connection, or a signal: the next connection may be fine (accept(2), "error
// handling").
bool concerns_one_connection(int error) {
  return error == EINTR || error == ECONNABORTED || error == EPROTO;
}

}  // namespace

Listener::Listener(Loop& loop, base::Fd listening, std::function<void(base::Fd)> on_connection,
                   std::function<void(int)> on_shortage)
    : listening_(loop, std::move(listening)),
      on_connection_(std::move(on_connection)),
      on_shortage_(std::move(on_shortage)),
      pause_(loop) {
  ORCH_CHECK((::fcntl(listening_.get(), F_GETFL) & O_NONBLOCK) != 0);
  watch();
}

void Listener::watch() {
  listening_.start(kReadable, [this](int) { accept_waiting(); });
}

void Listener::accept_waiting() {
  const Life::Watch self(life_);
  const auto on_connection = on_connection_;  // a copy, because the call may destroy ours
  for (int accepted = 0; accepted < kAcceptsPerWakeUp; ++accepted) {
    base::Fd connection(
        ::accept4(listening_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (connection.valid()) {
      on_connection(std::move(connection));
      if (self.ended()) return;
    } else if (errno == EAGAIN) {
      return;
    } else if (!concerns_one_connection(errno)) {
      // The system needs a descriptor even before it looks whether a connection waits.
      return accepted > 0 ? void() : pause(errno);
    }
  }
}

void Listener::pause(int error) {
  listening_.stop();
  pause_.start(kAcceptPauseMs, [this] { watch(); });
  const auto on_shortage = on_shortage_;
  if (on_shortage) on_shortage(error);
}

}  // namespace orch::loop
