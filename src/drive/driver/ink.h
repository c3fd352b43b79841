#pragma once

#include <cstdint>

#include "term/screen.h"

namespace orch::driver {

// How an agent draws the first character of a row. Agents draw their words in the terminal's own
// colour, or in their theme's black or white, and much of their interface in grey or in colours.
enum class Ink : uint8_t {
  kPlain,  // the terminal's own colour, black or white; the row may be blank
  kGrey,
  kColor,
};

// The ink of the first character that is not a blank. `row` is a row of `screen`.
Ink ink_of(const term::Screen& screen, const term::RowView& row);

// Whether that character stands on a background colour, or is faint.
bool is_shaded(const term::Screen& screen, const term::RowView& row);
bool is_faint(const term::Screen& screen, const term::RowView& row);

}  // namespace orch::driver
