#include "demo/painter.h"

#include <algorithm>

#include "fmt/core.h"

namespace orch::demo {
namespace {

const Cell kBlankCell;
const Line kNothing;

// The SGR sequence that leads from any other ink to this one.
std::string_view sgr(Ink ink) {
  switch (ink) {
    case Ink::kPlain:
      return "\x1b[0m";
    case Ink::kDim:
      return "\x1b[0;38;2;150;150;150m";
    case Ink::kBold:
      return "\x1b[0;1m";
    case Ink::kAccent:
      return "\x1b[0;38;2;95;175;215m";
    case Ink::kGlow:
      return "\x1b[0;38;2;175;215;255m";
    case Ink::kUser:
      return "\x1b[0;48;2;55;55;55m\x1b[38;2;255;255;255m";
    case Ink::kDialog:
      return "\x1b[0;38;2;175;175;255m";
    case Ink::kError:
      return "\x1b[0;38;2;255;107;128m";
    case Ink::kCursor:
      return "\x1b[0;7m";
  }
  return "";
}

}  // namespace

void Painter::resize(int cols, int rows) {
  cols_ = cols;
  rows_ = static_cast<size_t>(rows);
  stale_ = true;
}

void Painter::paint(const std::vector<Line>& settled, const std::vector<Line>& live,
                    Position cursor, std::string& out) {
  const size_t total = settled.size() + live.size();
  std::string frame;
  const bool shrunk_into_scrollback = top_ > 0 && total < top_ + rows_;
  if (stale_ || shrunk_into_scrollback) {
    clear(frame);
    top_ = total - std::min(total, rows_);
    cursor_ = {top_, 0};
    stale_ = false;
  }
  for (size_t row = top_; row < std::max(total, top_ + shown_.size()); ++row) {
    if (row == top_ + shown_.size()) append_row(frame);
    const Line* line = row < settled.size() ? &settled[row] : &kNothing;
    if (row >= settled.size() && row < total) line = &live[row - settled.size()];
    paint_row(row, cells_of(*line, cols_), frame);
  }
  const Position target{std::max(settled.size() + cursor.row, top_),
                        std::min(cursor.col, cols_ - 1)};
  if (frame.empty() && target.row == cursor_.row && target.col == cursor_.col) return;
  set_ink(Ink::kPlain, frame);
  move_to(target.row, target.col, frame);
  out += synchronized_ ? "\x1b[?2026h" + frame + "\x1b[?2026l" : frame;
}

void Painter::leave(std::string& out) {
  set_ink(Ink::kPlain, out);
  if (!shown_.empty()) move_to(top_ + shown_.size() - 1, 0, out);
}

// As Claude Code 2.1.197 does: every row by itself, without ED.
void Painter::clear(std::string& out) {
  set_ink(Ink::kPlain, out);
  out += "\x1b[H";
  for (size_t row = 0; row < rows_; ++row) out += "\x1b[2K\x1b[1B";
  out += "\x1b[H";
  shown_.clear();
}

// Adds a blank row below the last one; the very first is the row of the cursor.
void Painter::append_row(std::string& out) {
  if (!shown_.empty()) {
    // A terminal fills a row that scrolls in with the current background.
    set_ink(Ink::kPlain, out);
    move_to(top_ + shown_.size() - 1, 0, out);
    out += "\r\n";
    ++cursor_.row;
    if (shown_.size() == rows_) {
      shown_.pop_front();
      ++top_;
    }
  }
  shown_.emplace_back(static_cast<size_t>(cols_));
}

void Painter::paint_row(size_t row, const std::vector<Cell>& next, std::string& out) {
  std::vector<Cell>& shown = shown_[row - top_];
  size_t used = next.size();
  while (used > 0 && next[used - 1] == kBlankCell) --used;
  for (size_t col = 0; col < next.size(); ++col) {
    if (shown[col] == next[col]) continue;
    move_to(row, static_cast<int>(col), out);
    if (col >= used) {
      set_ink(Ink::kPlain, out);
      out += "\x1b[K";
      break;
    }
    set_ink(next[col].ink, out);
    out += next[col].glyph;
    const bool wide = col + 1 < next.size() && next[col + 1].glyph.empty();
    cursor_.col += wide ? 2 : 1;
    if (wide) ++col;
  }
  shown = next;
}

void Painter::move_to(size_t row, int col, std::string& out) {
  if (row < cursor_.row) out += fmt::format("\x1b[{}A", cursor_.row - row);
  if (row > cursor_.row) out += fmt::format("\x1b[{}B", row - cursor_.row);
  if (col != cursor_.col) out += col == 0 ? "\r" : fmt::format("\x1b[{}G", col + 1);
  cursor_ = {row, col};
}

void Painter::set_ink(Ink ink, std::string& out) {
  if (ink != ink_) out += sgr(ink);
  ink_ = ink;
}

}  // namespace orch::demo
