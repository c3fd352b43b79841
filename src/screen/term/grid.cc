#include "term/grid.h"

#include <algorithm>

#include "term/simd/kernels_avx2.h"
#include "term/simd/scan.h"

namespace orch::term {
namespace {

// Blank cells behind the last column: prepare() looks at column `to` without a check, and text is
// written eight cells at a time (kernels_avx2.h).
constexpr size_t kPadding = 8;

size_t stride_for(int cols) { return (static_cast<size_t>(cols) + kPadding + 7) / 8 * 8; }

// Fills `count` cells from column `from` on with the fastest kernel that this machine can run.
void fill(const Grid::Line& line, int from, int count, CellCode code, StyleId style) {
  static const auto kFill = [] {
#if defined(__x86_64__)
    if (has_avx2()) return Avx2::fill;
#endif
    return Portable::fill;
  }();
  kFill(code, static_cast<size_t>(count), style, line.codes + from, line.styles + from);
}

}  // namespace

Grid::Grid(Size size, uint64_t& clock)
    : size_(size), clock_(clock), stride_(stride_for(size.cols)) {
  const auto rows = static_cast<size_t>(size.rows);
  codes_.assign(rows * stride_, kBlank);
  styles_.assign(rows * stride_, 0);
  for (size_t at = 0; at < rows * stride_; at += stride_) {
    lines_.push_back({codes_.data() + at, styles_.data() + at, ++clock_});
  }
  for (Line& line : lines_) rows_.push_back(&line);
}

RowView Grid::view(int row) const {
  const auto cols = static_cast<size_t>(size_.cols);
  const Line& line = this->line(row);
  return {{line.codes, cols}, {line.styles, cols}, line.wrapped};
}

void Grid::split_wide(const Line& line, int from, int to) {
  CellCode* cells = line.codes;
  if (cells[from] == kWideTail) cells[from - 1] = ' ';
  split_wide_at(line, to);
}

void Grid::clear_line(Line& line, StyleId blank) {
  line.stamp = ++clock_;
  line.wrapped = false;
  line.wide = false;
  fill(line, 0, size_.cols, kBlank, blank);
}

void Grid::erase_rows(Region rows, StyleId blank) {
  for (int row = rows.top; row < rows.bottom; ++row) {
    clear_line(*rows_[static_cast<size_t>(row)], blank);
  }
}

void Grid::fill_rows(CellCode code) {
  for (Line& line : lines_) {
    clear_line(line, 0);
    fill(line, 0, size_.cols, code, 0);
  }
}

void Grid::scroll_up(Region region, int count, StyleId blank) {
  const auto first = rows_.begin() + region.top;
  std::rotate(first, first + count, rows_.begin() + region.bottom);
  erase_rows({region.bottom - count, region.bottom}, blank);
}

void Grid::scroll_down(Region region, int count, StyleId blank) {
  const auto last = rows_.begin() + region.bottom;
  std::rotate(rows_.begin() + region.top, last - count, last);
  erase_rows({region.top, region.top + count}, blank);
}

void Grid::insert_cells(int row, int col, int count, StyleId blank) {
  const int cols = size_.cols;
  prepare(row, col, col);
  Line& line = prepare(row, cols - count, cols);
  std::copy_backward(line.codes + col, line.codes + cols - count, line.codes + cols);
  std::copy_backward(line.styles + col, line.styles + cols - count, line.styles + cols);
  fill(line, col, count, kBlank, blank);
  line.wrapped = false;
}

void Grid::delete_cells(int row, int col, int count, StyleId blank) {
  const int cols = size_.cols;
  Line& line = prepare(row, col, col + count);
  std::copy(line.codes + col + count, line.codes + cols, line.codes + col);
  std::copy(line.styles + col + count, line.styles + cols, line.styles + col);
  fill(line, cols - count, count, kBlank, blank);
  line.wrapped = false;
}

void Grid::resize(Size size) {
  Grid grown(size, clock_);
  const int rows = std::min(size.rows, size_.rows);
  const int cols = std::min(size.cols, size_.cols);
  for (int row = 0; row < rows; ++row) {
    if (cols < size_.cols) prepare(row, cols, size_.cols);
    const Line& from = line(row);
    Line& to = *grown.rows_[static_cast<size_t>(row)];
    std::copy_n(from.codes, cols, to.codes);
    std::copy_n(from.styles, cols, to.styles);
    to.wide = from.wide;
    to.wrapped = from.wrapped && cols == size_.cols;
  }
  size_ = grown.size_;
  stride_ = grown.stride_;
  rows_.swap(grown.rows_);
  lines_.swap(grown.lines_);
  codes_.swap(grown.codes_);
  styles_.swap(grown.styles_);
}

}  // namespace orch::term
