#include "ui/painter.h"

#include <fmt/format.h>

#include <iterator>

#include "base/text.h"
#include "term/sgr.h"

namespace orch::ui {
namespace {

// Moving the cursor takes about as many bytes as writing this many cells.
constexpr int kWorthWriting = 4;

// The attributes that show on a space. Without one of them a space shows only its background.
constexpr uint16_t kSeenOnSpaces = term::kUnderline | term::kInverse | term::kStrike;

// Whether all terminals agree on how many columns the glyph takes.
bool is_plain(const Glyph& glyph) {
  const base::Decoded first = base::decode_utf8(glyph.text);
  return first.length == glyph.text.size() && first.code_point < 0x1F000;
}

}  // namespace

// The bytes written so far, and the terminal's cursor and style after them.
struct Painter::Pen {
  std::string out;
  term::Style style;
  int row = -1, col = -1;  // negative: not known

  void move(int to_row, int to_col) {
    if (row == to_row && col == to_col) return;
    const auto to = std::back_inserter(out);
    if (row == to_row && col >= 0 && col < to_col) {
      to_col - col == 1 ? out += "\033[C" : (fmt::format_to(to, "\033[{}C", to_col - col), out);
    } else {
      fmt::format_to(to, "\033[{};{}H", to_row + 1, to_col + 1);
    }
    row = to_row;
    col = to_col;
  }
  void choose(const term::Style& wanted) {
    if (style == wanted) return;
    style = wanted;
    term::append_sgr(style, out);
  }
};

namespace {

// The cell as it will look: without colours in monochrome, and a space without the style that does
// not show on it.
Canvas::Cell as_inked(const Canvas::Cell& cell, Ink ink) {
  Canvas::Cell inked = cell;
  if (ink == Ink::kMonochrome) inked.style.fg = inked.style.bg = {};
  if (cell.glyph.text == " " && (cell.style.attributes & kSeenOnSpaces) == 0) {
    inked.style = {.fg = {}, .bg = inked.style.bg, .attributes = 0};
  }
  return inked;
}

// A space looks the same whatever the pen's foreground is.
bool looks_alike(const Canvas::Cell& cell, const term::Style& pen) {
  return cell.glyph.text == " " && cell.style.bg == pen.bg &&
         ((cell.style.attributes | pen.attributes) & kSeenOnSpaces) == 0;
}

// How many columns of the row to draw. The columns behind them look as if erased.
int drawn_columns(const Canvas& canvas, int row, Ink ink) {
  int columns = canvas.size().cols;
  while (columns > 0 && as_inked(canvas.cell(row, columns - 1), ink) == Canvas::Cell{}) --columns;
  return columns;
}

}  // namespace

void Painter::paint_row(const Canvas& shown, const Canvas& next, int row, Pen& pen) const {
  const int drawn = drawn_columns(next, row, ink_);
  const bool to_erase = drawn_columns(shown, row, ink_) > drawn;
  for (int col = 0; col < drawn; ++col) {
    const Canvas::Cell cell = as_inked(next.cell(row, col), ink_);
    if (cell.glyph.width == 0) continue;
    const bool tail_differs = cell.glyph.width == 2 && shown.cell(row, col + 1).glyph.width != 0;
    const bool differs = tail_differs || cell != as_inked(shown.cell(row, col), ink_);
    if (!differs) continue;
    // The cells between are written again where that is shorter than moving the cursor.
    const int gap = pen.row == row && pen.col >= 0 ? col - pen.col : kWorthWriting;
    bool write_gap = gap > 0 && gap < kWorthWriting;
    for (int at = pen.col; write_gap && at < col; ++at) {
      const Canvas::Cell between = as_inked(next.cell(row, at), ink_);
      write_gap = between.style == pen.style && between.glyph.text.size() == 1;
    }
    for (int at = pen.col; write_gap && at < col; ++at) pen.out += next.cell(row, at).glyph.text;
    if (write_gap) pen.col = col;
    pen.move(row, col);
    if (!looks_alike(cell, pen.style)) pen.choose(cell.style);
    pen.out += cell.glyph.text;
    pen.col = col + cell.glyph.width;
    // After the last column, and after a glyph whose width terminals disagree about, the cursor's
    // position is not known.
    if (!is_plain(cell.glyph) || pen.col == next.size().cols) pen.col = -1;
  }
  if (!to_erase) return;
  pen.move(row, drawn);
  pen.choose({});
  pen.out += "\033[K";
}

std::string Painter::paint(const Canvas& next) {
  const bool anew = !shown_ || shown_->size() != next.size();
  const Canvas blank(next.size());
  const Canvas& shown = anew ? blank : *shown_;
  Pen pen;
  if (anew) pen.out = "\033[0m\033[H\033[2J";
  for (int row = 0; row < next.size().rows; ++row) paint_row(shown, next, row, pen);
  const bool cursor_moves = anew || shown.cursor() != next.cursor();
  std::string out;
  if (!pen.out.empty() || cursor_moves) {
    pen.choose({});
    if (next.cursor()) {
      fmt::format_to(std::back_inserter(pen.out), "\033[{};{}H\033[?25h", next.cursor()->row + 1,
                     next.cursor()->col + 1);
    }
    out = "\033[?2026h\033[?25l" + pen.out + "\033[?2026l";
  }
  shown_ = next;
  return out;
}

std::string row_bytes(const Canvas& canvas, int row, Ink ink) {
  std::string out;
  term::Style pen;
  const int drawn = drawn_columns(canvas, row, ink);
  for (int col = 0; col < drawn; ++col) {
    const Canvas::Cell cell = as_inked(canvas.cell(row, col), ink);
    if (cell.glyph.width == 0) continue;
    if (cell.style != pen && !looks_alike(cell, pen)) {
      term::append_sgr(cell.style, out);
      pen = cell.style;
    }
    out += cell.glyph.text;
  }
  if (pen != term::Style{}) out += "\033[m";
  return out;
}

}  // namespace orch::ui
