#pragma once

#include <string>

#include "term/screen.h"

namespace orch::term {

// The whole screen as UTF-8: one line per row with its LF, without trailing blanks.
std::string render_text(const Screen& screen);

// Bytes that draw the screen on any terminal of the same size: SGR, cursor movement and erasing
// only, never titles, modes (but for showing the cursor) or queries. Ends with the cursor in its
// place.
std::string render_ansi(const Screen& screen);

}  // namespace orch::term
