#pragma once

#include <string>

#include "term/screen.h"

namespace orch::term {

// Everything a Screen shows, as text: rows with their styles and wrapped marks, cursor, modes,
// titles, progress, counters. Two screens are the same when they are described alike.
std::string describe(const Screen& screen);

std::string row_text(const Screen& screen, int row);

// The rows' text joined by '|', without the empty ones at the end.
std::string rows_text(const Screen& screen);

// A style in words, "" for the default: "bold fg=1 bg=10,20,30".
std::string describe(const Style& style);

}  // namespace orch::term
