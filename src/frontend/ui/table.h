#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/color.h"

namespace orch::ui {

// The width, in columns, of the terminal on standard output; nullopt if it is not a terminal. A
// program then reads or keeps the table, so none of it is cut.
std::optional<int> window_columns();

// A table of text for people: each column is as wide as its longest cell. Where the window is too
// narrow, the least important columns are left out, then the longest cells are cut.
class Table {
 public:
  struct Column {
    std::string_view head;
    int importance = 0;     // the lowest are left out first; kAlways: never
    bool at_right = false;  // numbers stand at the right of their column
  };
  struct Cell {
    std::string text;  // may come from outside: it is shown by base::printable
    Color color = Color::kPlain;
  };
  static constexpr int kAlways = 100;

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // `cells` has one for each column; an empty one is shown as "-". `below` are whole lines that
  // stand below the row as they are.
  void add(std::vector<Cell> cells, std::string below = "");
  bool empty() const { return rows_.empty(); }

  // The heads and the rows, a line each, without blanks at their ends.
  std::string text(std::optional<int> window, bool in_color) const;

 private:
  struct Row {
    std::vector<Cell> cells;
    std::string below;
  };

  std::vector<int> widths(std::optional<int> window) const;
  std::string line(const std::vector<Cell>& cells, const std::vector<int>& widths,
                   bool in_color) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace orch::ui
