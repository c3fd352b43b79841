#include "ui/foot_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "ui/canvas.h"

namespace orch::ui {
namespace {

constexpr std::string_view kEraseRow = "\r\x1b[K";
// Synchronized output: a terminal that supports it shows everything between the two at once.
constexpr std::string_view kBeginFrame = "\x1b[?2026h", kEndFrame = "\x1b[?2026l";

size_t width_of(std::string_view row) {
  std::string text;
  while (true) {
    const size_t escape = row.find('\x1b');
    text += row.substr(0, escape);
    if (escape == std::string_view::npos) break;
    const size_t end = row.find('m', escape);
    row.remove_prefix(end == std::string_view::npos ? row.size() : end + 1);
  }
  return static_cast<size_t>(columns_of(text));
}

// Moves the cursor from one row to another.
void move_rows(size_t from, size_t to, std::string& out) {
  if (from == to) return;
  const size_t by = from < to ? to - from : from - to;
  const char direction = from < to ? 'B' : 'A';
  by == 1 ? fmt::format_to(std::back_inserter(out), "\x1b[{}", direction)
          : fmt::format_to(std::back_inserter(out), "\x1b[{}{}", by, direction);
}

std::string all_of(const std::vector<std::string>& rows) {
  std::string bytes;
  for (size_t row = 0; row < rows.size(); ++row) {
    if (row > 0) bytes += "\r\n";
    bytes.append(kEraseRow).append(rows[row]);
  }
  return bytes;
}

}  // namespace

// How many rows of a terminal of that width they take.
size_t FootRows::height(size_t columns) const {
  size_t height = 0;
  for (const std::string& row : rows_) {
    const size_t width = width_of(row);
    height += columns == 0 ? 1 : std::max<size_t>((width + columns - 1) / columns, 1);
  }
  return height;
}

std::string FootRows::erase(size_t columns) {
  if (rows_.empty()) return "";
  std::string bytes(kEraseRow);
  const size_t rows = height(columns);
  for (size_t row = 1; row < rows; ++row) bytes += "\x1b[A\x1b[K";
  rows_.clear();
  return bytes;
}

std::string FootRows::rewrite_changed(const std::vector<std::string>& rows) const {
  std::string bytes;
  const size_t last = rows.size() - 1;
  size_t at = last;
  for (size_t row = 0; row < rows.size(); ++row) {
    if (rows[row] == rows_[row]) continue;
    move_rows(at, row, bytes);
    bytes.append(kEraseRow).append(rows[row]);
    at = row;
  }
  move_rows(at, last, bytes);
  return bytes;
}

std::string FootRows::show(std::vector<std::string> rows, std::string_view printed,
                           size_t columns) {
  const bool in_place = printed.empty() && rows.size() == rows_.size() && !rows.empty() &&
                        height(columns) == rows.size();
  std::string bytes;
  if (in_place) {
    bytes = rewrite_changed(rows);
  } else {
    bytes = erase(columns);
    bytes.append(printed).append(all_of(rows));
  }
  rows_ = std::move(rows);
  const bool is_simple = rows_.size() <= 1 && printed.empty();
  if (bytes.empty() || is_simple) return bytes;
  return std::string(kBeginFrame).append(bytes).append(kEndFrame);
}

}  // namespace orch::ui
