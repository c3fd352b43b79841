#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "term/cell.h"
#include "term/palette.h"
#include "term/screen.h"

namespace orch::term {

// for cells that name no colour
inline constexpr Rgb kForeground = 0xD3D7CF, kBackground = 0x14161B;

// Adjacent cells of a row with the same look. The colours are the visible ones: looked up in the
// palette, with inverse and hidden applied.
struct PaintedRun {
  int col = 0, cols = 0;
  Rgb fg = kForeground, bg = kBackground;
  uint16_t attributes = 0;     // of Attribute: bold, faint, italic, underline, strike
  bool one_character = false;  // one wide or combined character, which takes all of the columns
  // Otherwise one character for each cell, without blanks at the end. It has no invisible
  // characters and none that change the direction of text.
  std::string text;
  bool operator==(const PaintedRun&) const = default;
};

// The runs of a row from its first cell on, without gaps, up to the last visible cell. All pictures
// of screens, as SVG here and in reports, are drawn from these.
std::vector<PaintedRun> painted_row(const Screen& screen, int row);

}  // namespace orch::term
