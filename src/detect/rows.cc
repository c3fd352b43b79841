#include "detect/rows.h"

#include <algorithm>
#include <utility>

#include "detect/pane.h"

namespace orch::detect {

namespace {

bool is_word(term::CellCode code) {
  return (code >= '0' && code <= '9') || (code >= 'A' && code <= 'Z') ||
         (code >= 'a' && code <= 'z');
}

// `used`: how many cells of the row may hold anything.
Colored find_colored(const term::Screen& screen, const term::RowView& view, size_t used) {
  bool words = false;      // a letter or digit was seen
  bool one_color = true;   // all visible cells so far have the same colour
  bool sign_apart = true;  // those after the first one share a colour that differs from its colour
  int visible = 0;         // visible cells so far, at most 2
  term::Color first;       // the colour of the first visible cell
  term::Color second;      // the colour of the second visible cell
  term::Color color;       // the colour of this cell
  term::StyleId style{};   // the style that `color` was read from; neighbours mostly share one
  for (size_t i = 0; i < used; ++i) {
    const term::CellCode code = view.codes[i];
    const bool blank = code == term::kBlank || code == ' ' || code == 0xA0;
    if (blank || code == term::kWideTail) continue;
    if (visible == 0 || view.styles[i] != style) {
      style = view.styles[i];
      color = screen.style(style).fg;
      if (visible == 0) first = color;
      one_color = one_color && color == first;
    }
    if (visible == 1) second = color;
    if (visible > 0) sign_apart = sign_apart && color == second && color != first;
    visible = std::min(visible + 1, 2);
    if (!is_word(code)) continue;
    if (color.kind == term::Color::Kind::kDefault) return Colored::kNo;
    words = true;
  }
  if (!words) return Colored::kNo;
  if (one_color) return Colored::kRow;
  const bool sign_colored = first.kind != term::Color::Kind::kDefault;
  return sign_colored && sign_apart ? Colored::kSign : Colored::kWords;
}

// Whether the cell shows neither a blank nor a piece of a frame.
bool is_glyph(term::CellCode code) {
  constexpr term::CellCode kFirstBoxDrawing = 0x2500, kLastBlock = 0x259F;
  const bool blank = code == term::kBlank || code == ' ' || code == 0xA0;
  return !blank && code != term::kWideTail && (code < kFirstBoxDrawing || code > kLastBlock);
}

GlyphStyle style_of(const term::Screen& screen, term::StyleId id) {
  const term::Style style = screen.style(id);
  return {style.fg, style.attributes};
}

// Whether the glyphs from `begin` on look like a prompt, the cursor on the next glyph and at least
// one more that nobody typed: the rest is faint, or has one colour behind a cursor that is seen
// there, at column `cursor`; -1: it is hidden or elsewhere.
bool is_hinted(const term::Screen& screen, const term::RowView& view, size_t begin, size_t end,
               int cursor) {
  int glyphs = 0;
  bool faint = true, colored = false;
  for (size_t i = begin; i < end; ++i) {
    if (!is_glyph(view.codes[i])) continue;
    ++glyphs;
    if (glyphs == 2) colored = static_cast<int>(i) == cursor;
    if (glyphs <= 2) continue;
    const GlyphStyle style = style_of(screen, view.styles[i]);
    faint = faint && (style.attributes & term::kFaint) != 0;
    colored = colored && style.fg == style_of(screen, view.styles[end - 1]).fg;
    if (!faint && !colored) return false;
  }
  return glyphs > 2;
}

void find_styles(const term::Screen& screen, const term::RowView& view, size_t used, int cursor,
                 RowFacts& row) {
  row.first = row.last = {};
  row.hinted = false;
  size_t first = 0, end = used;
  while (first < used && !is_glyph(view.codes[first])) ++first;
  if (first == used) return;
  while (!is_glyph(view.codes[end - 1])) --end;
  row.first = style_of(screen, view.styles[first]);
  row.last = style_of(screen, view.styles[end - 1]);
  const bool faint = (row.last.attributes & term::kFaint) != 0;  // few rows end faint
  const bool colored = cursor >= 0 && row.last.tinted();
  row.hinted = (faint || colored) && is_hinted(screen, view, first, end, colored ? cursor : -1);
}

}  // namespace

bool Rows::refresh(const term::Screen& screen, const PatternSet& patterns) {
  const int count = screen.size().rows;
  bool changed = this->count() != count;
  columns_ = screen.size().cols;
  cursor_row_ = screen.modes().cursor_visible ? screen.cursor_row() : -1;
  const int edge = pane_edge(screen);
  const bool pane_moved = edge != std::exchange(pane_edge_, edge);
  rows_.resize(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    RowFacts& row = rows_[static_cast<size_t>(i)];
    ++examined_;
    if (row.stamp == screen.stamp(i) && !pane_moved) continue;
    if (!pane_moved && adopt_scrolled(screen, i)) {
      changed = true;
      continue;
    }
    row.stamp = screen.stamp(i);
    text_.clear();
    const term::RowView view = left_of(screen.row(i), edge);
    screen.append_text(view, text_);
    // Every cell that is not empty gives the text at least one byte.
    const size_t used = std::min(view.codes.size(), text_.size());
    const Colored colored = find_colored(screen, view, used);
    changed = changed || row.colored != colored;
    row.colored = colored;
    // A change of style alone does not count: text that shimmers while an agent works would change
    // ten times a second.
    find_styles(screen, view, used, i == cursor_row_ ? screen.cursor_col() : -1, row);
    if (text_ == row.text) continue;
    changed = true;
    row.text.swap(text_);
    row.blank = row.text.find_first_not_of(' ') == std::string::npos;
    row.bits = row.blank ? PatternBits() : patterns.match(row.text);
    if (!row.blank) ++searched_;
  }
  used_ = count;
  while (used_ > 0 && rows_[static_cast<size_t>(used_ - 1)].blank) --used_;
  return changed;
}

// If the screen scrolled up, the text that is now in `row` was a little further down before. The
// rows below have not been refreshed yet, so the facts can be moved from there; the two rows
// exchange their facts.
bool Rows::adopt_scrolled(const term::Screen& screen, int row) {
  constexpr int kFarthest = 8;
  const uint64_t stamp = screen.stamp(row);
  for (int from = row + 1; from <= row + kFarthest && from < count(); ++from) {
    if (rows_[static_cast<size_t>(from)].stamp != stamp) continue;
    std::swap(rows_[static_cast<size_t>(row)], rows_[static_cast<size_t>(from)]);
    return true;
  }
  return false;
}

}  // namespace orch::detect
