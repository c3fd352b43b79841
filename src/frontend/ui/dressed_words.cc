#include "ui/dressed_words.h"

#include <algorithm>

#include "base/ascii.h"
#include "ui/canvas.h"

namespace orch::ui {
namespace {

// Whether the text has no letter and no digit, and so can only be blanks, bullets and frames.
bool is_margin(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return base::is_letter_or_digit(c); });
}

// Whether the colour is black, white or grey: its red, green and blue are about the same. The
// numbers are those of xterm's palette.
bool is_neutral(const term::Color& color) {
  constexpr int kMostApart = 24, kFirstGrey = 232;
  switch (color.kind) {
    case term::Color::Kind::kDefault:
      return true;
    case term::Color::Kind::kIndexed:
      return color.r == 0 || color.r == 7 || color.r == 8 || color.r == 15 || color.r == 16 ||
             color.r == 231 || color.r >= kFirstGrey;
    case term::Color::Kind::kRgb:
      return std::max({color.r, color.g, color.b}) - std::min({color.r, color.g, color.b}) <=
             kMostApart;
  }
  return true;
}

// The style without colours that may be unreadable. The agent does not know the background of the
// user's terminal: white words would be lost on a light one.
term::Style readable(term::Style style) {
  style.bg = {};
  if (is_neutral(style.fg)) style.fg = {};
  style.attributes &= static_cast<uint16_t>(~(term::kHidden | term::kBlink));
  return style;
}

std::string text_of(const Canvas& canvas) {
  std::string text;
  for (int col = 0; col < canvas.size().cols; ++col) text += canvas.cell(0, col).glyph.text;
  return text;
}

}  // namespace

std::string dressed(std::string_view text, const term::Screen& screen, Ink ink) {
  if (text.empty()) return "";
  const int columns = columns_of(text);
  for (int row = screen.size().rows - 1; row >= 0; --row) {
    std::string drawn;
    screen.append_row_text(row, drawn);
    const size_t at = drawn.find(text);
    if (at == std::string::npos) continue;
    const std::string_view left = std::string_view(drawn).substr(0, at);
    if (!is_margin(left) || !is_margin(std::string_view(drawn).substr(at + text.size()))) continue;
    Canvas canvas({columns, 1});
    canvas.draw(screen, {.row = row, .col = columns_of(left), .rows = 1, .cols = columns}, 0, 0);
    if (text_of(canvas) != text) continue;
    canvas.restyle(readable);
    return row_bytes(canvas, 0, ink);
  }
  return std::string(text);
}

}  // namespace orch::ui
