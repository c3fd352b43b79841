#pragma once

#include <string>

#include "term/screen.h"

namespace orch::attach {

// The modes of a person's terminal that follow the agent's, so that it sends what the agent
// expects: arrows, pastes, focus, the mouse, keys told apart. A terminal that was left alone has
// all off.
struct MirroredModes {
  bool application_cursor = false;
  bool bracketed_paste = false;
  bool focus_reports = false;
  uint16_t mouse = 0;  // as term::Modes has it
  uint8_t kitty_keyboard = 0;
  bool operator==(const MirroredModes&) const = default;
};

// Where the screen is not shown from its first row and column on, places on it cannot be told, so
// that there is no mouse.
MirroredModes modes_to_mirror(const term::Modes& modes, bool shown_from_origin);

// Bytes that bring a terminal from the one to the other; "" when nothing is to be done.
std::string change_of_modes(const MirroredModes& from, const MirroredModes& to);

}  // namespace orch::attach
