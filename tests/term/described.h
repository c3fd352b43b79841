#pragma once

#include <string>

#include "term/screen.h"

namespace orch::term {

// Everything that a Screen shows, as text: rows with their styles and wrap marks, cursor, modes,
// titles, progress, counters. Screens with equal descriptions are equal.
std::string describe(const Screen& screen);

std::string row_text(const Screen& screen, int row);

// The texts of the rows, joined by '|', without empty rows at the end.
std::string rows_text(const Screen& screen);

// A style in words: "bold fg=1 bg=10,20,30"; "" for the default.
std::string describe(const Style& style);

}  // namespace orch::term
