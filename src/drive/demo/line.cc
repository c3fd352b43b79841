#include "demo/line.h"

#include <algorithm>

#include "base/text.h"
#include "term/width.h"

namespace orch::demo {
namespace {

// A space without a background looks the same in every ink, so the painter may skip it.
bool has_background(Ink ink) { return ink == Ink::kUser || ink == Ink::kCursor; }

// How many bytes at the beginning of `text` fit into `width` columns; at least those of one
// character.
size_t fitting(std::string_view text, int width) {
  size_t bytes = 0;
  int used = 0;
  while (bytes < text.size()) {
    std::string_view rest = text.substr(bytes);
    const term::Character character = term::take_character(rest);
    used += character.columns;
    if (used > width && bytes > 0) break;
    bytes += character.bytes.size();
  }
  return bytes;
}

void append_cells(std::vector<Cell>& cells, const Run& run, size_t full) {
  std::string_view text = run.text;
  while (!text.empty()) {
    const auto [glyph, columns] = term::take_character(text);
    if (cells.size() + static_cast<size_t>(columns) > full) return;
    const bool blank = glyph == " " && !has_background(run.ink);
    if (columns > 0) {
      cells.push_back({std::string(glyph), blank ? Ink::kPlain : run.ink});
      if (columns == 2) cells.push_back({"", run.ink});
    } else if (!cells.empty()) {
      const size_t wide = cells.back().glyph.empty() ? 1 : 0;
      cells[cells.size() - 1 - wide].glyph += glyph;
    }
  }
}

}  // namespace

std::vector<Cell> cells_of(const Line& line, int width) {
  std::vector<Cell> cells;
  const auto full = static_cast<size_t>(width);
  cells.reserve(full);
  for (const Run& run : line) append_cells(cells, run, full);
  cells.resize(full);
  return cells;
}

int columns_of(std::string_view text) {
  int columns = 0;
  while (!text.empty()) columns += term::take_character(text).columns;
  return columns;
}

std::string drawable(std::string_view text) {
  std::string out;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size());
    for (const char c : base::printable(text.substr(start, end - start))) {
      c == '\t' ? out.append(4, ' ') : out.append(1, c);
    }
    if (end < text.size()) out += '\n';
    start = end + 1;
  }
  return out;
}

std::vector<std::string> wrap_columns(std::string_view text, int width) {
  std::vector<std::string> rows;
  do {
    const size_t fits = fitting(text, width);
    rows.emplace_back(text.substr(0, fits));
    text.remove_prefix(fits);
  } while (!text.empty());
  return rows;
}

std::vector<std::string> wrap_words(std::string_view text, int width) {
  std::vector<std::string> rows;
  for (;;) {
    const size_t fits = fitting(text, width);
    if (fits == text.size()) break;
    // Breaks at the last blank, unless only the indentation would be left in the row.
    size_t cut = text.find_last_of(' ', fits);
    if (cut == std::string_view::npos || cut <= text.find_first_not_of(' ')) cut = fits;
    const std::string_view row = text.substr(0, cut);
    rows.emplace_back(row.substr(0, row.find_last_not_of(' ') + 1));
    text.remove_prefix(std::min(text.find_first_not_of(' ', cut), text.size()));
  }
  if (!text.empty() || rows.empty()) rows.emplace_back(text);
  return rows;
}

}  // namespace orch::demo
