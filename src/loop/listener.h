#pragma once

#include <functional>

#include "base/fd.h"
#include "loop/life.h"
#include "loop/timer.h"
#include "loop/watched_fd.h"

namespace orch::loop {

class Loop;

// Accepts connections to a listening socket. Each connection gets a descriptor of its own,
// non-blocking and close-on-exec. If the system has no descriptor for one (EMFILE, ENFILE, no
// memory), it reports that and pauses for kAcceptPauseMs instead of spinning. Keeps Loop::run()
// running while it lives.
class Listener {
 public:
  // `listening` has to be non-blocking. Either callback may destroy the listener. `on_shortage`, if
  // given, gets the errno before each pause.
  Listener(Loop& loop, base::Fd listening, std::function<void(base::Fd)> on_connection,
           std::function<void(int)> on_shortage = nullptr);
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

 private:
  void watch();
  void accept_waiting();
  void pause(int error);

  WatchedFd listening_;
  std::function<void(base::Fd)> on_connection_;
  std::function<void(int)> on_shortage_;
  Timer pause_;
  Life life_;
};

inline constexpr int kAcceptPauseMs = 100;

}  // namespace orch::loop
