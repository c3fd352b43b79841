#pragma once

#include <string>

#include "term/screen.h"

namespace orch::term {

// The whole screen as UTF-8: one line for each row, with LF, without trailing blanks.
std::string render_text(const Screen& screen);

// Bytes that draw the screen on any terminal of the same size. They contain only SGR, cursor
// movement and erasing, never titles, queries, or modes except for the cursor's visibility. At the
// end the cursor is in its place.
std::string render_ansi(const Screen& screen);
// The same for `count` rows from row `first` on, drawn at the top: for a terminal with fewer rows.
// A cursor in another row is hidden.
std::string render_ansi(const Screen& screen, int first, int count);

}  // namespace orch::term
