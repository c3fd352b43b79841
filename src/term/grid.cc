#include "term/grid.h"

#include <algorithm>
#include <numeric>

namespace orch::term {
namespace {

// Cells behind the last column, always blank: prepare() looks at column `to` without asking, and
// text is written eight cells at a time (terminal_fast.h).
constexpr size_t kPadding = 8;

size_t stride_for(int cols) { return (static_cast<size_t>(cols) + kPadding + 7) / 8 * 8; }

}  // namespace

Grid::Grid(Size size, uint64_t& clock)
    : size_(size), clock_(clock), stride_(stride_for(size.cols)) {
  const auto rows = static_cast<size_t>(size.rows);
  order_.resize(rows);
  std::iota(order_.begin(), order_.end(), uint16_t{0});
  lines_.resize(rows);
  codes_.assign(rows * stride_, kBlank);
  styles_.assign(rows * stride_, 0);
  for (Line& line : lines_) line.stamp = ++clock_;
}

RowView Grid::view(int row) const {
  const auto cols = static_cast<size_t>(size_.cols);
  return {{codes_.data() + offset(row), cols},
          {styles_.data() + offset(row), cols},
          lines_[line(row)].wrapped};
}

void Grid::split_wide(int row, int from, int to) {
  CellCode* cells = codes(row);
  if (cells[from] == kWideTail) cells[from - 1] = kBlank;
  for (int col = to; cells[col] == kWideTail; ++col) cells[col] = kBlank;
}

void Grid::erase(int row, int from, int to, StyleId blank) {
  if (from >= to) return;
  prepare(row, from, to);
  std::fill(codes(row) + from, codes(row) + to, kBlank);
  std::fill(styles(row) + from, styles(row) + to, blank);
  if (to == size_.cols) set_wrapped(row, false);
}

void Grid::clear_line(int row, StyleId blank) {
  lines_[line(row)] = {++clock_, false};
  std::fill_n(codes(row), size_.cols, kBlank);
  std::fill_n(styles(row), size_.cols, blank);
}

void Grid::erase_rows(Region rows, StyleId blank) {
  for (int row = rows.top; row < rows.bottom; ++row) clear_line(row, blank);
}

void Grid::fill_rows(CellCode code) {
  for (int row = 0; row < size_.rows; ++row) {
    clear_line(row, 0);
    std::fill_n(codes(row), size_.cols, code);
  }
}

void Grid::scroll_up(Region region, int count, StyleId blank) {
  const auto first = order_.begin() + region.top;
  std::rotate(first, first + count, order_.begin() + region.bottom);
  erase_rows({region.bottom - count, region.bottom}, blank);
}

void Grid::scroll_down(Region region, int count, StyleId blank) {
  const auto last = order_.begin() + region.bottom;
  std::rotate(order_.begin() + region.top, last - count, last);
  erase_rows({region.top, region.top + count}, blank);
}

void Grid::insert_cells(int row, int col, int count, StyleId blank) {
  const int cols = size_.cols;
  prepare(row, col, col);
  prepare(row, cols - count, cols);
  std::copy_backward(codes(row) + col, codes(row) + cols - count, codes(row) + cols);
  std::copy_backward(styles(row) + col, styles(row) + cols - count, styles(row) + cols);
  std::fill_n(codes(row) + col, count, kBlank);
  std::fill_n(styles(row) + col, count, blank);
  set_wrapped(row, false);
}

void Grid::delete_cells(int row, int col, int count, StyleId blank) {
  const int cols = size_.cols;
  prepare(row, col, col + count);
  std::copy(codes(row) + col + count, codes(row) + cols, codes(row) + col);
  std::copy(styles(row) + col + count, styles(row) + cols, styles(row) + col);
  std::fill_n(codes(row) + cols - count, count, kBlank);
  std::fill_n(styles(row) + cols - count, count, blank);
  set_wrapped(row, false);
}

void Grid::resize(Size size) {
  Grid grown(size, clock_);
  const int rows = std::min(size.rows, size_.rows);
  const int cols = std::min(size.cols, size_.cols);
  for (int row = 0; row < rows; ++row) {
    if (cols < size_.cols) prepare(row, cols, size_.cols);
    std::copy_n(codes(row), cols, grown.codes(row));
    std::copy_n(styles(row), cols, grown.styles(row));
    grown.set_wrapped(row, lines_[line(row)].wrapped && cols == size_.cols);
  }
  size_ = grown.size_;
  stride_ = grown.stride_;
  order_.swap(grown.order_);
  lines_.swap(grown.lines_);
  codes_.swap(grown.codes_);
  styles_.swap(grown.styles_);
}

}  // namespace orch::term
