#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "term/cell.h"
#include "term/screen.h"

namespace orch::ui {

// What stands in one cell, or in two: a character with its combining marks, as UTF-8.
struct Glyph {
  std::string text = " ";
  int width = 1;  // 0: the right half of a wide one, and no text
  bool operator==(const Glyph&) const = default;
};

// `text` as a canvas shows it. No control character and nothing that turns the order of others
// around is left of it (base::printable); line feeds and tabs are spaces. What would melt with a
// character drawn left or right of it is replaced.
std::vector<Glyph> glyphs(std::string_view text);

int columns_of(std::string_view text);

// `text` in at most so many columns, with an ellipsis where some of it is missing.
std::string fitted(std::string_view text, int columns);

// A grid of cells to draw on; what is drawn outside of it is nothing. It knows no terminal: a
// Painter brings it there. Rows and columns are counted from 0.
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

  // Text from outside is fine here. Takes `width` columns at most; returns the column behind it.
  int put(int row, int col, std::string_view text, const term::Style& style,
          int width = kToTheEdge);

  // Spaces of that style.
  void fill(const Area& area, const term::Style& style);
  // Adds attributes (term::Attribute) to what is there: a bar over a row that is drawn.
  void mark(const Area& area, uint16_t attributes);

  // The cells of `part` of a screen with their upper left corner at row and col. Where the screen
  // ends nothing is drawn.
  void draw(const term::Screen& screen, const Area& part, int row, int col);

  // Where the cursor shows; hidden without.
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
