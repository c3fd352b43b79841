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
  Canvas::Cell as_inked(const Canvas::Cell& cell) const;
  int drawn_columns(const Canvas& canvas, int row) const;

  Ink ink_;
  std::optional<Canvas> shown_;
};

}  // namespace orch::ui
