#pragma once

#include <string>

#include "term/screen.h"

namespace orch::term {

// Bytes that bring a fresh terminal of the same size (one that was just reset: RIS) to the state of
// this screen, so that the application's output can go on behind them as if it had gone there all
// the time: both grids with their styles, the cursor with a pending wrap, what DECSC saved,
// margins, tab stops, character sets, modes, keyboard flags, title, progress and reported state,
// and at the end the beginning of a sequence or character that is not complete yet.
//
// Nothing in it makes a terminal answer, and nothing ends a synchronized frame. Not in it are
// notifications, the count of frames, the scrollback, and where a terminal has no way to say it:
// that the last row, or one of a screen of one column, is wrapped.
//
// A title, a state and an unfinished string are what the application sent (printable, without
// controls); who shows them to a terminal that is not the application's decides whether it may.
std::string snapshot(const Screen& screen);

}  // namespace orch::term
