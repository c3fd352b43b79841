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
// The same of `count` of its rows from row `first` on, drawn from the top: for a terminal of fewer
// rows. A cursor in another row is not shown.
std::string render_ansi(const Screen& screen, int first, int count);

}  // namespace orch::term
