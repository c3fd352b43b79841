#include "detect/pane.h"

namespace orch::detect {
namespace {

constexpr term::CellCode kBar = 0x2502;
constexpr term::CellCode kThumb = 0x2588;

// `last`: it is the last column, where the bar may be one to scroll by.
bool is_bar(term::CellCode code, bool last) { return code == kBar || (last && code == kThumb); }

bool bar_stands(const term::Screen& screen, size_t column) {
  const bool last = static_cast<int>(column) + 1 == screen.size().cols;
  for (int row = 0; row <= screen.size().rows / 2; ++row) {
    if (!is_bar(screen.row(row).codes[column], last)) return false;
  }
  return true;
}

}  // namespace

int pane_edge(const term::Screen& screen) {
  const int columns = screen.size().cols;
  if (!screen.modes().alternate) return columns;
  const auto top = screen.row(0).codes;
  for (size_t column = top.size() / 3; column < top.size(); ++column) {
    const bool last = column + 1 == top.size();
    if (is_bar(top[column], last) && bar_stands(screen, column)) return static_cast<int>(column);
  }
  return columns;
}

term::RowView left_of(term::RowView row, int edge) {
  const auto columns = static_cast<size_t>(edge);
  if (columns >= row.codes.size()) return row;
  if (!is_bar(row.codes[columns], columns + 1 == row.codes.size())) return row;
  return {row.codes.first(columns), row.styles.first(columns), false};
}

}  // namespace orch::detect
