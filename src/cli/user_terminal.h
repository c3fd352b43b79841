#pragma once

#include <termios.h>

#include <cstdint>

namespace orch::cli {

// The terminal of the person who started this program: typed on at standard input, drawn on at
// standard error. It is left as it was found when this is destroyed and when a fatal signal ends
// the process; only SIGKILL leaves it switched. One at a time.
class UserTerminal {
 public:
  enum class Mode : uint8_t {
    kFound,  // as it was
    kKeys,   // keys come one by one and are not echoed; Ctrl-C and its like are still signals
    kTaken,  // every key comes as it is, Ctrl-C too; a screen of its own is shown
  };

  // Standard input and error are one terminal, it can be drawn on, and we are in its foreground.
  static bool is_ours();

  UserTerminal();
  ~UserTerminal();
  UserTerminal(const UserTerminal&) = delete;
  UserTerminal& operator=(const UserTerminal&) = delete;

  // False while we are in the background (there it would stop us), and once the terminal is gone:
  // then nothing is changed.
  bool switch_to(Mode mode);

 private:
  termios modes_for(Mode mode) const;

  termios found_{};
  Mode mode_ = Mode::kFound;
};

}  // namespace orch::cli
