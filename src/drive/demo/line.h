#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orch::demo {

// How a piece of text is drawn. The painter turns it into SGR.
enum class Ink : uint8_t {
  kPlain,
  kDim,
  kBold,
  kAccent,  // the agent's colour: spinner, glyphs
  kGlow,    // the lit letters of the spinner's word
  kUser,
  kDialog,
  kError,
  kCursor,  // the input cursor, drawn by the agent as an inverse cell
};

struct Run {
  Ink ink = Ink::kPlain;
  std::string text;
};

// One row of the user interface, already fitted to the width.
using Line = std::vector<Run>;

struct Position {
  size_t row = 0;
  int col = 0;
};

// One column of a row. A wide character's right half has an empty glyph.
struct Cell {
  std::string glyph = " ";
  Ink ink = Ink::kPlain;
  bool operator==(const Cell&) const = default;
};

// Exactly `width` cells; the rest is cut off, and combining marks join the cell before them.
std::vector<Cell> cells_of(const Line& line, int width);

int columns_of(std::string_view text);

// Makes text from outside drawable: controls and malformed bytes become U+FFFD, a tab becomes four
// spaces, and LF stays.
std::string drawable(std::string_view text);

// Breaks one logical line (no LF) into rows of at most `width` columns. The result has at least one
// row.
std::vector<std::string> wrap_words(std::string_view text,
                                    int width);  // blanks at a break are dropped
std::vector<std::string> wrap_columns(std::string_view text, int width);  // nothing is dropped

}  // namespace orch::demo
