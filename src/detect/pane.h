#pragma once

#include "term/screen.h"

namespace orch::detect {

// The column of a bar ("│") that cuts a pane off the right side of the screen, as Claude Code's
// pane for changed files in a wide terminal; the width of the screen if there is none. The
// agent neither says nor asks the text in the pane. A scroll bar ("│" and "█") in the last column
// is a pane without text. Only a program on the alternate screen draws a
// pane, from the top row down over at least half of the screen, in the right two thirds of it; a
// row below, such as the input box, may be as wide as the screen.
int pane_edge(const term::Screen& screen);

// The columns of the row before `edge`. A row that is cut does not continue in the next one.
term::RowView left_of(term::RowView row, int edge);

}  // namespace orch::detect
