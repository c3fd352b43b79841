#pragma once

#include <termios.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/fd.h"
#include "term/screen.h"
#include "ui/terminal_keeper.h"

namespace orch::ui {

// The size of the terminal on standard output or error; nullopt if neither is a terminal or it
// reports 0x0.
std::optional<term::Size> terminal_size();

// Whether standard output and error are one terminal that can be drawn on. If they are not,
// somebody else draws: a pager, or the process that reads the other end of a pipe.
bool can_draw();

// Whether this process is now in the foreground process group of the terminal on standard error. In
// the background nothing is drawn, no mode is changed and no key is read.
bool in_foreground();
// How often to check whether we are in the foreground: a shell that brings a running program back
// to the foreground does not notify it.
inline constexpr int64_t kForegroundLookMs = 300;

// Undoes every mode that a frame or a viewer may have set. Its first ESC also ends a sequence that
// was cut off.
inline constexpr std::string_view kLeaveScreen =
    "\x1b[?2026l\x1b[0m\x1b[?1l\x1b[?2004l\x1b[?1004l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l"
    "\x1b[<u\x1b[?7h\x1b[?25h\x1b[?1049l";

// How long a terminal may take nothing before its screen is given up, as when somebody has stopped
// it. A connection stalls for a second now and then, and giving up would leave the shell in the
// alternate screen.
inline constexpr int kTerminalPatienceMs = 3'000;

// The terminal of the user who started this program, which standard error is: keys are read from
// keys() and drawing goes to standard error. The terminal is restored when this is destroyed, when
// a fatal signal ends the process, and also when the process is killed. There is at most one of
// these.
class UserTerminal {
 public:
  enum class Mode : uint8_t {
    kFound,  // the terminal's modes as they were found
    kKeys,   // keys come one by one and are not echoed; Ctrl-C and its like are still signals
    kTaken,  // every key comes as a byte, Ctrl-C too; the alternate screen is shown
  };

  // Whether all standard streams are that terminal, and we are in its foreground.
  static bool is_ours();
  // Whether a user there could be asked, though output or input may come from elsewhere: we are in
  // the foreground, and standard input is not /dev/null, which says that nobody is there.
  static bool has_user();
  // Whether another program reads its keys one by one, as a pager does.
  static bool is_read_by_another();

  UserTerminal();
  ~UserTerminal();
  UserTerminal(const UserTerminal&) = delete;
  UserTerminal& operator=(const UserTerminal&) = delete;

  // Returns false and changes nothing while we are in the background, where it would stop this
  // process, and once the terminal is gone.
  bool switch_to(Mode mode);

  // Standard input if it is the terminal, otherwise a descriptor of our own for it.
  int keys() const { return keys_; }

 private:
  termios modes_for(Mode mode) const;

  base::Fd opened_;  // empty if standard input is the terminal
  int keys_;
  termios found_{};
  Mode mode_ = Mode::kFound;
  std::optional<TerminalKeeper> keeper_;
};

}  // namespace orch::ui
