#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ui/canvas.h"

namespace orch::ui {

// With colours, or with bold, inverse and the like alone (NO_COLOR: wants_color() in ui/color.h).
enum class Ink : uint8_t { kColors, kMonochrome };

// Brings a canvas to a terminal: the bytes that turn what was painted before into the next. It
// knows ANSI's cursor movement, SGR and erasing to the end of a row, no TERM. What it writes is one
// frame of synchronized output. It assumes of the terminal that nobody else draws on it, autowrap
// as usual (a mark could not join a character in the last column without), no margins and neither
// insert nor origin mode.
class Painter {
 public:
  explicit Painter(Ink ink) : ink_(ink) {}

  // "" when nothing is to be done. A canvas of another size than the last is painted as a whole.
  std::string paint(const Canvas& next);
  // What is on the terminal is not known any more: the next canvas is painted as a whole.
  void forget() { shown_.reset(); }

 private:
  struct Pen;
  void paint_row(const Canvas& shown, const Canvas& next, int row, Pen& pen) const;

  Ink ink_;
  std::optional<Canvas> shown_;
};

// A row of a canvas as text for the row that the cursor is in the first column of: no movement, no
// erasing, no blanks at its end; the pen is the default one behind it.
std::string row_bytes(const Canvas& canvas, int row, Ink ink);

}  // namespace orch::ui
