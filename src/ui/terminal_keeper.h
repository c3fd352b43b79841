#pragma once

#include <sys/types.h>
#include <termios.h>

#include <memory>
#include <vector>

#include "base/fd.h"

namespace orch::ui {

// A child process that restores the terminal when this process dies without having done so, as
// after SIGKILL. The child has a session of its own, so that no key and no signal of the terminal
// reaches it, and holds nothing open but the terminal and a socket to wait on. Modes that somebody
// else, such as a shell, has set meanwhile are left alone. If no child can be made, nothing
// restores the terminal, and nothing fails.
class TerminalKeeper {
 public:
  // `terminal` can be read and written; its modes were `found`, and we will set it to one of
  // `ours`. To be made before there are other threads.
  TerminalKeeper(int terminal, const termios& found, const std::vector<termios>& ours);
  ~TerminalKeeper();  // tells the child that the terminal is in order, and waits for its end
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
