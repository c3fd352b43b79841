#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "term/cell.h"
#include "term/screen.h"

namespace orch::ui {

// A character with its combining marks, as UTF-8, which takes one cell or two.
struct Glyph {
  std::string text = " ";
  int width = 1;  // 0: the right half of a wide character; it has no text
  bool operator==(const Glyph&) const = default;
};

// `text` as a canvas shows it: without control characters and without characters that reverse the
// order of others (base::printable); line feeds and tabs become spaces. A character that would join
// with the one drawn to its left or right is replaced.
std::vector<Glyph> glyphs(std::string_view text);

int columns_of(std::string_view text);

// `text` cut to at most `columns` columns, with an ellipsis where some of it is missing.
std::string fitted(std::string_view text, int columns);

// A grid of cells to draw on; drawing outside of it has no effect. It knows no terminal: a Painter
// brings it to one. Rows and columns are counted from 0.
class Canvas {
 public:
  struct Cell {
    Glyph glyph;
    term::Style style;  // colours as the application named them
    bool operator==(const Cell&) const = default;
  };
  struct Area {
    int row = 0, col = 0, rows = 0, cols = 0;
  };
  struct Position {
    int row = 0, col = 0;
    bool operator==(const Position&) const = default;
  };
  static constexpr int kToTheEdge = INT32_MAX;

  explicit Canvas(term::Size size);

  term::Size size() const { return size_; }
  const Cell& cell(int row, int col) const { return cells_[index(row, col)]; }  // within size()

  // Draws `text`, which may come from outside: glyphs() makes it harmless. It takes at most `width`
  // columns; the column behind it is returned.
  int put(int row, int col, std::string_view text, const term::Style& style,
          int width = kToTheEdge);

  // Fills the area with spaces of that style.
  void fill(const Area& area, const term::Style& style);
  // Adds attributes (term::Attribute) to cells that are drawn already, to highlight a row for
  // example.
  void mark(const Area& area, uint16_t attributes);

  // Gives each cell the style that `change` makes of the one it has.
  void restyle(const std::function<term::Style(term::Style)>& change);

  // Draws `part` of a screen, with the part's upper left corner at row and col. Beyond the end of
  // the screen nothing is drawn.
  void draw(const term::Screen& screen, const Area& part, int row, int col);

  // Where the cursor is shown; without a position it is hidden.
  void set_cursor(std::optional<Position> cursor) { cursor_ = cursor; }
  const std::optional<Position>& cursor() const { return cursor_; }

 private:
  size_t index(int row, int col) const {
    return static_cast<size_t>(row) * static_cast<size_t>(size_.cols) + static_cast<size_t>(col);
  }
  bool has(int row, int col) const {
    return row >= 0 && row < size_.rows && col >= 0 && col < size_.cols;
  }
  void set(int row, int col, const Glyph& glyph, const term::Style& style);
  void split_wide(int row, int col);
  int draw_cell(const term::Screen& screen, const Position& from, int end, const Position& to);

  term::Size size_;
  std::vector<Cell> cells_;
  std::optional<Position> cursor_;
};

}  // namespace orch::ui
