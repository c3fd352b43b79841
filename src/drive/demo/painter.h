#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "demo/line.h"

namespace orch::demo {

// Puts a growing document on a terminal's main screen in the way of Ink (and so of Claude Code): it
// remembers the painted rows, moves relative to its cursor, writes only changed cells, and reaches
// the next word by CSI n G. Rows that no longer fit scroll into the terminal's scrollback and are
// never touched again. If the document shrinks so much that scrolled rows would have to come back,
// or if the window has changed its size, the screen is cleared row by row and the last rows of the
// document are written anew.
class Painter {
 public:
  Painter(int cols, int rows) : cols_(cols), rows_(static_cast<size_t>(rows)) {}

  // Call it when the terminal knows mode 2026: from now on every frame is wrapped in it.
  void synchronize() { synchronized_ = true; }
  void resize(int cols, int rows);

  // Appends to `out` the bytes that turn the previous frame into this one: the rows of `settled`,
  // then those of `live`. The cursor ends at `cursor`, whose row is counted in `live`. Appends
  // nothing if nothing has changed.
  void paint(const std::vector<Line>& settled, const std::vector<Line>& live, Position cursor,
             std::string& out);

  // Moves the cursor below the document, at the end.
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
  bool stale_ = false;  // the window's size changed, so its contents are not known any more
  std::deque<std::vector<Cell>> shown_;  // the rows on the screen, from document row top_ on
  size_t top_ = 0;
  Position cursor_;  // its row is counted in the document; its col is cols_ while a wrap is pending
  Ink ink_ = Ink::kPlain;
};

}  // namespace orch::demo
