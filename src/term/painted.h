#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "term/cell.h"
#include "term/screen.h"

namespace orch::term {

using Rgb = uint32_t;                                                 // 0xRRGGBB
inline constexpr Rgb kForeground = 0xD3D7CF, kBackground = 0x14161B;  // of what names no colour

// Cells of a row that are painted alike. Colours are what is seen: the palette looked up, inverse
// and hidden applied.
struct PaintedRun {
  int col = 0, cols = 0;
  Rgb fg = kForeground, bg = kBackground;
  uint16_t attributes = 0;     // of Attribute: bold, faint, italic, underline, strike
  bool one_character = false;  // wide or combined: it takes all of the columns
  // Else one character for each cell, blanks at the end left out. Nothing in it is invisible or
  // turns text around.
  std::string text;
  bool operator==(const PaintedRun&) const = default;
};

// The row from its first cell on, without a hole, up to the last cell that shows anything. What
// draws screens for people, as SVG here or in a report, draws these.
std::vector<PaintedRun> painted_row(const Screen& screen, int row);

}  // namespace orch::term
