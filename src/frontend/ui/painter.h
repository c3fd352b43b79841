#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ui/canvas.h"

namespace orch::ui {

// Paint with colours, or only with bold, inverse and other attributes (NO_COLOR: wants_color() in
// ui/color.h).
enum class Ink : uint8_t { kColors, kMonochrome };

// Brings a canvas to a terminal: computes the bytes that turn the canvas painted before into the
// next one. They use ANSI cursor movement, SGR and erasing to the end of a row, whatever TERM says,
// and form one frame of synchronized output. Assumes that nobody else draws on the terminal, that
// autowrap is on (without it a combining mark could not join a character in the last column), and
// that margins, insert mode and origin mode are off.
class Painter {
 public:
  explicit Painter(Ink ink) : ink_(ink) {}

  // Returns "" when nothing has changed. A canvas of another size than the last one is painted as a
  // whole.
  std::string paint(const Canvas& next);
  // Call this when the terminal may show something else: the next canvas is painted as a whole.
  void forget() { shown_.reset(); }

 private:
  struct Pen;
  void paint_row(const Canvas& shown, const Canvas& next, int row, Pen& pen) const;

  Ink ink_;
  std::optional<Canvas> shown_;
};

// A row of a canvas as text, for a terminal with its cursor in the first column of a row. The text
// does not move the cursor or erase anything, has no blanks at its end, and leaves the default
// style behind it.
std::string row_bytes(const Canvas& canvas, int row, Ink ink);

}  // namespace orch::ui
