#pragma once

#include <cstdint>
#include <vector>

#include "term/cell.h"
#include "term/screen.h"
#include "term/simd/kernels.h"

namespace orch::term {

// Rows [top, bottom) of a grid.
struct Region {
  int top = 0, bottom = 0;
  int height() const { return bottom - top; }
};

// The cells of one screen (main or alternate). Rows are reached through pointers, so scrolling
// moves pointers and no cells; a row's stamp and wrapped mark move with it. Column and row
// arguments must be in range: callers clamp them. Every change of a row's cells gives the row a new
// stamp from `clock`, which both grids share. A wide character is never left half overwritten: its
// other half becomes a space of the same style. Therefore a blank cell has at most a background, as
// after erasing.
class Grid {
 public:
  Grid(Size size, uint64_t& clock);
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;

  Size size() const { return size_; }
  RowView view(int row) const;
  uint64_t stamp(int row) const { return line(row).stamp; }

  struct Line {
    CellCode* codes = nullptr;
    StyleId* styles = nullptr;
    uint64_t stamp = 0;
    bool wrapped = false;
    bool wide = false;  // the row may have wide characters
  };
  // Prepares a row for overwriting its columns [from, to): gives it a new stamp, and splits wide
  // characters that reach over the edges.
  Line& prepare(int row, int from, int to) {
    Line& line = *rows_[static_cast<size_t>(row)];
    line.stamp = ++clock_;
    if (line.wide) [[unlikely]]
      split_wide(line, from, to);
    return line;
  }
  // Splits the wide character that reaches over the left edge of `col`, whose left half is gone.
  static void split_wide_at(const Line& line, int col) {
    for (; line.codes[col] == kWideTail; ++col) line.codes[col] = ' ';
  }
  const Line& line(int row) const { return *rows_[static_cast<size_t>(row)]; }
  void set_wrapped(int row, bool wrapped) { rows_[static_cast<size_t>(row)]->wrapped = wrapped; }

  template <class Kernels>
  void erase(int row, int from, int to, StyleId blank) {
    if (from >= to) return;
    Line& line = prepare(row, from, to);
    Kernels::fill(kBlank, static_cast<size_t>(to - from), blank, line.codes + from,
                  line.styles + from);
    if (to == size_.cols) line.wrapped = false;
  }
  void erase_rows(Region rows, StyleId blank);
  void fill_rows(CellCode code);  // the whole grid, in the default style

  // Move the rows of the region by 1..height rows; the rows that come in are blank.
  void scroll_up(Region region, int count, StyleId blank);
  void scroll_down(Region region, int count, StyleId blank);

  // Insert or delete cells of one row at `col`; 1 <= count <= cols - col.
  void insert_cells(int row, int col, int count, StyleId blank);
  void delete_cells(int row, int col, int count, StyleId blank);

  // Cuts or adds cells at the right and at the bottom.
  void resize(Size size);

  // All cells in no particular order, for marking and renaming the styles and clusters that they
  // refer to.
  std::vector<CellCode>& all_codes() { return codes_; }
  std::vector<StyleId>& all_styles() { return styles_; }

 private:
  static void split_wide(const Line& line, int from, int to);
  void clear_line(Line& line, StyleId blank);

  Size size_;
  uint64_t& clock_;
  size_t stride_;  // cells from one row to the next: the columns, and padding that stays blank
  std::vector<Line*> rows_;  // pointers into lines_
  std::vector<Line> lines_;
  std::vector<CellCode> codes_;
  std::vector<StyleId> styles_;
};

}  // namespace orch::term
