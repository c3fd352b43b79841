#pragma once

#include <string>

#include "term/screen.h"

namespace orch::attach {

// The modes of a user's terminal that follow the agent's, so that the terminal sends the input that
// the agent expects: arrow keys, pastes, focus, the mouse, unambiguous keys. On a terminal that was
// not changed all are off.
struct MirroredModes {
  bool application_cursor = false;
  bool bracketed_paste = false;
  bool focus_reports = false;
  uint16_t mouse = 0;  // the same bits as in term::Modes
  uint8_t kitty_keyboard = 0;
  bool operator==(const MirroredModes&) const = default;
};

// The mouse is off if the screen is not shown from its first row and column on: positions would be
// wrong.
MirroredModes modes_to_mirror(const term::Modes& modes, bool shown_from_origin);

// The bytes that change a terminal from one state to the other; "" if nothing has to change.
std::string change_of_modes(const MirroredModes& from, const MirroredModes& to);

}  // namespace orch::attach
