#pragma once

#include <string>

#include "term/screen.h"

namespace orch::term {

// Bytes that bring a fresh terminal of the same size (one that was just reset: RIS) into the state
// of this screen, so that the application's further output can follow as if all of it had gone
// there: both grids with their styles, the cursor with a pending wrap, the cursor saved by DECSC,
// margins, tab stops, character sets, modes, keyboard flags, title, progress and reported state,
// and at the end the beginning of a sequence or character that is not complete yet.
//
// The bytes make no terminal answer, and end no synchronized frame. They do not contain
// notifications, the count of frames and the scrollback, nor facts that cannot be sent to a
// terminal: that the last row is wrapped, or a row of a screen with one column.
//
// A title, a state and an unfinished string in it come from the application (printable, without
// controls). A caller that shows them on another terminal than the application's decides whether
// that is acceptable.
std::string snapshot(const Screen& screen);

}  // namespace orch::term
