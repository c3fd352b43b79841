#include "term/svg.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

namespace orch::term {
namespace {

// Pixels of a cell of a 14 px monospace font, and of the margin around the screen.
constexpr double kCellWidth = 8.4, kCellHeight = 17, kBaseline = 13, kMargin = 8;

using Rgb = uint32_t;  // 0xRRGGBB
constexpr Rgb kForeground = 0xD3D7CF, kBackground = 0x14161B;

// The first 16 colours as xterm has them; 16 to 231 are a cube of six steps, then 24 greys.
constexpr std::array<Rgb, 16> kPalette{0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x1E66F5, 0xCD00CD,
                                       0x00CDCD, 0xE5E5E5, 0x7F7F7F, 0xFF5555, 0x55FF55, 0xFFFF55,
                                       0x6C8CFF, 0xFF55FF, 0x55FFFF, 0xFFFFFF};

Rgb indexed_color(unsigned index) {
  if (index < kPalette.size()) return kPalette[index];
  if (index >= 232) return (8 + 10 * (index - 232)) * 0x010101;
  const auto step = [](unsigned n) { return n == 0 ? 0 : 55 + 40 * n; };
  const unsigned n = index - 16;
  return step(n / 36) << 16 | step(n / 6 % 6) << 8 | step(n % 6);
}

Rgb rgb_of(const Color& color, Rgb otherwise) {
  switch (color.kind) {
    case Color::Kind::kDefault:
      return otherwise;
    case Color::Kind::kIndexed:
      return indexed_color(color.r);
    case Color::Kind::kRgb:
      return static_cast<Rgb>(color.r) << 16 | static_cast<Rgb>(color.g) << 8 | color.b;
  }
  return otherwise;
}

struct Paint {
  Rgb fg, bg;
};
Paint paint_of(const Style& style) {
  const Paint paint{rgb_of(style.fg, kForeground), rgb_of(style.bg, kBackground)};
  return (style.attributes & kInverse) != 0 ? Paint{paint.bg, paint.fg} : paint;
}

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      default:
        out += c;
    }
  }
}

void append_rect(std::string& out, double x, double y, double width, double height, Rgb fill) {
  fmt::format_to(std::back_inserter(out),
                 "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                 "fill=\"#{:06x}\"/>\n",
                 x, y, width, height, fill);
}

void append_text_run(std::string& out, const Style& style, Rgb fill, double x, double y,
                     double width, std::string_view text) {
  fmt::format_to(std::back_inserter(out), "<text x=\"{:.1f}\" y=\"{:.1f}\" textLength=\"{:.1f}\"",
                 x, y, width);
  fmt::format_to(std::back_inserter(out), " fill=\"#{:06x}\"", fill);
  if ((style.attributes & kBold) != 0) out += " font-weight=\"bold\"";
  if ((style.attributes & kItalic) != 0) out += " font-style=\"italic\"";
  if ((style.attributes & kFaint) != 0) out += " opacity=\"0.6\"";
  if ((style.attributes & kUnderline) != 0) out += " text-decoration=\"underline\"";
  if ((style.attributes & kStrike) != 0) out += " text-decoration=\"line-through\"";
  out += '>';
  append_escaped(out, text);
  out += "</text>\n";
}

// Cells [from, to) of one style.
void append_run(const Screen& screen, const RowView& row, size_t from, size_t to, double y,
                std::string& out) {
  const Style& style = screen.style(row.styles[from]);
  const Paint paint = paint_of(style);
  const double x = kMargin + kCellWidth * static_cast<double>(from);
  const double width = kCellWidth * static_cast<double>(to - from);
  if (paint.bg != kBackground) append_rect(out, x, y, width, kCellHeight, paint.bg);
  if ((style.attributes & kHidden) != 0) return;
  // Words apart, so that a font of another width cannot shift what follows a gap.
  for (size_t begin = from; begin < to;) {
    const auto blank = [&row](size_t i) { return row.codes[i] == kBlank || row.codes[i] == ' '; };
    if (blank(begin)) {
      ++begin;
      continue;
    }
    size_t end = begin;
    while (end < to && !blank(end)) ++end;
    std::string text;
    screen.append_text(
        {row.codes.subspan(begin, end - begin), row.styles.subspan(begin, end - begin), false},
        text);
    append_text_run(out, style, paint.fg, kMargin + kCellWidth * static_cast<double>(begin),
                    y + kBaseline, kCellWidth * static_cast<double>(end - begin), text);
    begin = end;
  }
}

}  // namespace

std::string render_svg(const Screen& screen) {
  const auto [cols, rows] = screen.size();
  const double width = 2 * kMargin + kCellWidth * cols, height = 2 * kMargin + kCellHeight * rows;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"ui-monospace,Menlo,Consolas,'DejaVu Sans "
      "Mono',monospace\" font-size=\"14\" xml:space=\"preserve\">\n",
      width, height);
  append_rect(out, 0, 0, width, height, kBackground);
  for (int i = 0; i < rows; ++i) {
    const RowView row = screen.row(i);
    const double y = kMargin + kCellHeight * i;
    for (size_t from = 0; from < row.codes.size();) {
      size_t to = from + 1;
      while (to < row.codes.size() && row.styles[to] == row.styles[from]) ++to;
      append_run(screen, row, from, to, y, out);
      from = to;
    }
  }
  if (screen.modes().cursor_visible) {
    fmt::format_to(std::back_inserter(out),
                   "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                   "fill=\"#{:06x}\" opacity=\"0.6\"/>\n",
                   kMargin + kCellWidth * screen.cursor_col(),
                   kMargin + kCellHeight * screen.cursor_row(), kCellWidth, kCellHeight,
                   kForeground);
  }
  return out + "</svg>\n";
}

}  // namespace orch::term
