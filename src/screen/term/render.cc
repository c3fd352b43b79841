#include "term/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "term/sgr.h"

namespace orch::term {
namespace {

// How many columns differ from an erased row: trailing blanks of the default style are left out.
size_t drawn_length(const RowView& row) {
  size_t length = row.codes.size();
  while (length > 0 && row.codes[length - 1] == kBlank && row.styles[length - 1] == 0) --length;
  return length;
}

// Appends cells [from, to), which have one style. Trailing blanks, which append_text() would drop,
// are kept, because the style shows on them.
void append_cells(const Screen& screen, const RowView& row, size_t from, size_t to,
                  std::string& out) {
  size_t last = to;
  while (last > from && (row.codes[last - 1] == kBlank || row.codes[last - 1] == ' ')) --last;
  screen.append_text({row.codes.subspan(from, last - from), row.styles.subspan(from, last - from)},
                     out);
  out.append(to - last, ' ');
}

void append_row(const Screen& screen, const RowView& row, std::string& out) {
  const size_t length = drawn_length(row);
  for (size_t from = 0; from < length;) {
    size_t to = from + 1;
    while (to < length && row.styles[to] == row.styles[from]) ++to;
    append_sgr(screen.style(row.styles[from]), out);
    append_cells(screen, row, from, to, out);
    from = to;
  }
}

}  // namespace

std::string render_text(const Screen& screen) {
  std::string out;
  for (int row = 0; row < screen.size().rows; ++row) {
    screen.append_row_text(row, out);
    out += '\n';
  }
  return out;
}

std::string render_ansi(const Screen& screen) { return render_ansi(screen, 0, screen.size().rows); }

std::string render_ansi(const Screen& screen, int first, int count) {
  std::string out = "\033[0m\033[H\033[2J";
  for (int row = 0; row < count; ++row) {
    fmt::format_to(std::back_inserter(out), "\033[{};1H", row + 1);
    append_row(screen, screen.row(first + row), out);
  }
  const int cursor_row = screen.cursor_row() - first;
  const bool shows_cursor = screen.modes().cursor_visible && cursor_row >= 0 && cursor_row < count;
  fmt::format_to(std::back_inserter(out), "\033[0m\033[{};{}H{}", std::max(cursor_row, 0) + 1,
                 screen.cursor_col() + 1, shows_cursor ? "\033[?25h" : "\033[?25l");
  return out;
}

}  // namespace orch::term
