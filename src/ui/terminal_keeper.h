#pragma once

#include <sys/types.h>
#include <termios.h>

#include <memory>
#include <vector>

#include "base/fd.h"

namespace orch::ui {

// Puts a terminal back as it was when this process dies without having done so, which after SIGKILL
// nobody else can: a child that does nothing but wait for that. It has a session of its own, so
// that no key and no signal of the terminal reaches it, and holds nothing open but the terminal.
// Whoever has set the terminal's modes anew meanwhile, as a shell does, is left alone. Where no
// child can be made there is nobody to do it, and nothing fails.
class TerminalKeeper {
 public:
  // `terminal` is read from and drawn on; it was found like this, and will have one of `ours`.
  // To be made before other threads are.
  TerminalKeeper(int terminal, const termios& found, const std::vector<termios>& ours);
  ~TerminalKeeper();  // the terminal is in order
  TerminalKeeper(const TerminalKeeper&) = delete;
  TerminalKeeper& operator=(const TerminalKeeper&) = delete;

  // Whether a screen of our own is shown, that is to be left.
  void set_screen_taken(bool taken);

 private:
  struct Shared;  // between the two processes

  Shared* shared_ = nullptr;
  base::Fd life_;  // closed by our death
  pid_t child_ = 0;
};

}  // namespace orch::ui
