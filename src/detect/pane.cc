#include "detect/pane.h"

namespace orch::detect {
namespace {

constexpr term::CellCode kBar = 0x2502;

bool bar_stands(const term::Screen& screen, size_t column) {
  for (int row = 0; row <= screen.size().rows / 2; ++row) {
    if (screen.row(row).codes[column] != kBar) return false;
  }
  return true;
}

}  // namespace

int pane_edge(const term::Screen& screen) {
  const int columns = screen.size().cols;
  if (!screen.modes().alternate) return columns;
  const auto top = screen.row(0).codes;
  for (size_t column = top.size() / 3; column < top.size(); ++column) {
    if (top[column] == kBar && bar_stands(screen, column)) return static_cast<int>(column);
  }
  return columns;
}

term::RowView left_of(term::RowView row, int edge) {
  const auto columns = static_cast<size_t>(edge);
  if (columns >= row.codes.size() || row.codes[columns] != kBar) return row;
  return {row.codes.first(columns), row.styles.first(columns), false};
}

}  // namespace orch::detect
