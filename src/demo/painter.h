#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "demo/line.h"

namespace orch::demo {

// Puts a growing document on a terminal's main screen the way Ink (and so Claude Code) does: it
// knows what it painted, moves relative to its cursor, writes changed cells only and reaches the
// next word by CSI n G; what no longer fits scrolls into the terminal's scrollback and is never
// touched again. When the document shrinks so far that scrolled rows would have to come back, or
// the window changed its size, the screen is cleared row by row and the document's last rows are
// written anew.
class Painter {
 public:
  Painter(int cols, int rows) : cols_(cols), rows_(static_cast<size_t>(rows)) {}

  // The terminal knows mode 2026: from now on every frame is wrapped in it.
  void synchronize() { synchronized_ = true; }
  void resize(int cols, int rows);

  // Appends to `out` what turns the previous frame into this one: the rows of `settled`, then those
  // of `live`; the cursor ends at `cursor`, counted in the rows of `live`. Nothing changed: nothing
  // added.
  void paint(const std::vector<Line>& settled, const std::vector<Line>& live, Position cursor,
             std::string& out);

  // Moves the cursor below the document, for good.
  void leave(std::string& out);

 private:
  void clear(std::string& out);
  void paint_row(size_t row, const std::vector<Cell>& next, std::string& out);
  void append_row(std::string& out);
  void move_to(size_t row, int col, std::string& out);
  void set_ink(Ink ink, std::string& out);

  int cols_;
  size_t rows_;
  bool synchronized_ = false;
  bool stale_ = false;  // the window changed: what is on it can no longer be relied on
  std::deque<std::vector<Cell>> shown_;  // the rows on the screen; the first is document row top_
  size_t top_ = 0;
  Position cursor_;  // row counted in the document; col is cols_ while a wrap is pending
  Ink ink_ = Ink::kPlain;
};

}  // namespace orch::demo
