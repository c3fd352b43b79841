#pragma once

#include <sys/types.h>
#include <termios.h>

#include <vector>

#include "base/fd.h"

namespace orch::ui {

// A child process that restores the terminal when this process dies without having restored it, as
// after SIGKILL. The child has a session of its own, so that no key and no signal of the terminal
// reaches it, and holds only the terminal and a socket to wait on open. It leaves alone any modes
// that somebody else, such as a shell, has set since. If the child cannot be made, this does
// nothing and does not fail.
class TerminalKeeper {
 public:
  // `terminal` can be read and written; its modes were `found`, and we will set it to one of
  // `ours`. To be made before there are other threads.
  TerminalKeeper(int terminal, const termios& found, const std::vector<termios>& ours);
  ~TerminalKeeper();  // releases the child, because the terminal is in order, and waits for its end
  TerminalKeeper(const TerminalKeeper&) = delete;
  TerminalKeeper& operator=(const TerminalKeeper&) = delete;

  // Whether we show the alternate screen, which the child would then have to leave.
  void set_screen_taken(bool taken);

 private:
  struct Shared;  // memory that both processes see

  Shared* shared_ = nullptr;
  base::Fd life_;  // our end of a socket, which our death closes
  pid_t child_ = 0;
};

}  // namespace orch::ui
