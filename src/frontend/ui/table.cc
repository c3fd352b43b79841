#include "ui/table.h"

#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "ui/canvas.h"
#include "ui/user_terminal.h"

namespace orch::ui {
namespace {

constexpr int kBetween = 2;    // blanks between two columns
constexpr int kLeftOut = -1;   // the width of a column that is not shown
constexpr int kNarrowest = 8;  // no column is cut to less

// The columns of the terminal that a line of these widths takes.
int sum_of(const std::vector<int>& widths) {
  int sum = -kBetween;
  for (const int width : widths) sum += width == kLeftOut ? 0 : width + kBetween;
  return sum;
}

std::string blanks(int count) { return std::string(static_cast<size_t>(std::max(count, 0)), ' '); }

}  // namespace

std::optional<int> window_columns() {
  if (::isatty(STDOUT_FILENO) == 0) return std::nullopt;
  const std::optional<term::Size> size = terminal_size();
  return size ? std::optional(size->cols) : std::nullopt;
}

void Table::add(std::vector<Cell> cells, std::string below) {
  for (Cell& cell : cells) {
    cell.text = cell.text.empty() ? "-" : base::printable(cell.text);
  }
  rows_.push_back({std::move(cells), std::move(below)});
}

std::vector<int> Table::widths(std::optional<int> window) const {
  std::vector<int> widths;
  for (size_t i = 0; i < columns_.size(); ++i) {
    int width = columns_of(columns_[i].head);
    for (const Row& row : rows_) width = std::max(width, columns_of(row.cells[i].text));
    widths.push_back(width);
  }
  if (!window) return widths;
  std::vector<size_t> by_importance(columns_.size());
  std::iota(by_importance.begin(), by_importance.end(), 0);
  std::ranges::stable_sort(by_importance, {}, [this](size_t i) { return columns_[i].importance; });
  for (const size_t i : by_importance) {
    if (sum_of(widths) <= *window || columns_[i].importance == kAlways) break;
    widths[i] = kLeftOut;
  }
  for (int excess = sum_of(widths) - *window; excess > 0; excess = sum_of(widths) - *window) {
    int& longest = *std::ranges::max_element(widths);
    if (longest <= kNarrowest) break;
    longest = std::max(longest - excess, kNarrowest);
  }
  return widths;
}

std::string Table::line(const std::vector<Cell>& cells, const std::vector<int>& widths,
                        bool in_color) const {
  std::string line;
  int behind = 0;  // blanks that stand before the next cell
  for (size_t i = 0; i < cells.size(); ++i) {
    if (widths[i] == kLeftOut) continue;
    const std::string text = fitted(cells[i].text, widths[i]);
    const int room = widths[i] - columns_of(text);
    line += blanks(behind + (columns_[i].at_right ? room : 0));
    line += colored(text, cells[i].color, in_color);
    behind = kBetween + (columns_[i].at_right ? 0 : room);
  }
  return line + "\n";
}

std::string Table::text(std::optional<int> window, bool in_color) const {
  const std::vector<int> fitting = widths(window);
  std::vector<Cell> heads;
  for (const Column& column : columns_) heads.push_back({std::string(column.head)});
  std::string text = line(heads, fitting, false);
  for (const Row& row : rows_) text += line(row.cells, fitting, in_color) + row.below;
  return text;
}

}  // namespace orch::ui
