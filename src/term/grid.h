#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "term/cell.h"
#include "term/screen.h"

namespace orch::term {

// Rows [top, bottom) of a grid.
struct Region {
  int top = 0, bottom = 0;
  int height() const { return bottom - top; }
};

// The cells of one screen (main or alternate). A row is reached through an index, so scrolling
// moves indices and no cells; its stamp and wrapped mark go with it. Columns and rows given are in
// range: callers clamp. Every change of a row's cells gives it a new stamp from `clock`, which both
// grids share. A wide character never stays half overwritten: its other half becomes blank.
class Grid {
 public:
  Grid(Size size, uint64_t& clock);

  Size size() const { return size_; }
  RowView view(int row) const;
  uint64_t stamp(int row) const { return lines_[line(row)].stamp; }

  // The row's cells, to be written to after prepare().
  CellCode* codes(int row) { return codes_.data() + offset(row); }
  StyleId* styles(int row) { return styles_.data() + offset(row); }
  // Columns [from, to) are about to be overwritten: stamps the row and splits wide characters.
  void prepare(int row, int from, int to) {
    lines_[line(row)].stamp = ++clock_;
    const CellCode* cells = codes(row);
    if (cells[from] == kWideTail || cells[to] == kWideTail) split_wide(row, from, to);
  }
  void set_wrapped(int row, bool wrapped) { lines_[line(row)].wrapped = wrapped; }

  void erase(int row, int from, int to, StyleId blank);
  void erase_rows(Region rows, StyleId blank);
  void fill_rows(CellCode code);  // the whole grid, default style

  // Move the rows of the region by 1..height; what comes in is blank.
  void scroll_up(Region region, int count, StyleId blank);
  void scroll_down(Region region, int count, StyleId blank);

  // Within one row from `col` on; 1 <= count <= cols - col.
  void insert_cells(int row, int col, int count, StyleId blank);
  void delete_cells(int row, int col, int count, StyleId blank);

  // Cuts or adds at the right and at the bottom.
  void resize(Size size);

  // All cells, in no order: to mark and rename what they refer to.
  std::vector<CellCode>& all_codes() { return codes_; }
  std::vector<StyleId>& all_styles() { return styles_; }

 private:
  struct Line {
    uint64_t stamp = 0;
    bool wrapped = false;
  };

  size_t line(int row) const { return order_[static_cast<size_t>(row)]; }
  size_t offset(int row) const { return line(row) * stride_; }
  void split_wide(int row, int from, int to);
  void clear_line(int row, StyleId blank);

  Size size_;
  uint64_t& clock_;
  size_t stride_;  // cells from one line to the next: cols and padding that stays blank
  std::vector<uint16_t> order_;  // row to line
  std::vector<Line> lines_;
  std::vector<CellCode> codes_;
  std::vector<StyleId> styles_;
};

}  // namespace orch::term
