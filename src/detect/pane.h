#pragma once

#include "term/screen.h"

namespace orch::detect {

// The column of a bar ("│") that cuts a pane off the right side of the screen, such as the one in
// which Claude Code shows changed files in a wide terminal; the width of the screen if there is
// none. What is in the pane is neither said nor asked by the agent. Only a program on the alternate
// screen draws one, from the top row down over at least half of the screen, in the right two thirds
// of it; a row below, such as the input box, may be as wide as the screen.
int pane_edge(const term::Screen& screen);

// The columns of the row before `edge`. A row that is cut does not go on in the next one.
term::RowView left_of(term::RowView row, int edge);

}  // namespace orch::detect
