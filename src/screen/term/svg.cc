#include "term/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/text.h"
#include "term/painted.h"

namespace orch::term {
namespace {

void append_rect(std::string& out, double x, double y, double width, double height, Rgb fill) {
  fmt::format_to(std::back_inserter(out),
                 "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                 "fill=\"#{:06x}\"/>\n",
                 x, y, width, height, fill);
}

void append_word(std::string& out, const PaintedRun& run, double x, double y, double width,
                 std::string_view text) {
  fmt::format_to(std::back_inserter(out), "<text x=\"{:.1f}\" y=\"{:.1f}\" textLength=\"{:.1f}\"",
                 x, y, width);
  fmt::format_to(std::back_inserter(out), " fill=\"#{:06x}\"", run.fg);
  if ((run.attributes & kBold) != 0) out += " font-weight=\"bold\"";
  if ((run.attributes & kItalic) != 0) out += " font-style=\"italic\"";
  if ((run.attributes & kFaint) != 0) out += " opacity=\"0.6\"";
  if ((run.attributes & kUnderline) != 0) out += " text-decoration=\"underline\"";
  if ((run.attributes & kStrike) != 0) out += " text-decoration=\"line-through\"";
  out += '>';
  base::append_entities(out, text);
  out += "</text>\n";
}

// Words are placed one by one, so that a font of another width cannot shift the text after a gap.
void append_run(const PaintedRun& run, double y, std::string& out) {
  if (run.bg != kBackground) {
    append_rect(out, svg_x(run.col), y, kSvgCellWidth * run.cols, kSvgCellHeight, run.bg);
  }
  int col = run.col;
  for (std::string_view rest = run.text; !rest.empty();) {
    const size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    const int cols = run.one_character ? run.cols : svg_characters(word);
    if (!word.empty()) {
      append_word(out, run, svg_x(col), y + kSvgBaseline, kSvgCellWidth * cols, word);
    }
    col += cols + 1;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

}  // namespace

int svg_characters(std::string_view text) {
  int count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(base::decode_utf8(text).length);
  return count;
}

std::string render_svg(const Screen& screen,
                       const std::map<int, std::vector<PaintedRun>>& instead) {
  const auto [cols, rows] = screen.size();
  const double width = 2 * kSvgMargin + kSvgCellWidth * cols,
               height = 2 * kSvgMargin + kSvgCellHeight * rows;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"ui-monospace,Menlo,Consolas,'DejaVu Sans "
      "Mono',monospace\" font-size=\"14\" xml:space=\"preserve\">\n",
      width, height);
  append_rect(out, 0, 0, width, height, kBackground);
  for (int i = 0; i < rows; ++i) {
    const double y = kSvgMargin + kSvgCellHeight * i;
    const auto other = instead.find(i);
    const std::vector<PaintedRun>& runs =
        other == instead.end() ? painted_row(screen, i) : other->second;
    for (const PaintedRun& run : runs) append_run(run, y, out);
  }
  if (screen.modes().cursor_visible) {
    fmt::format_to(std::back_inserter(out),
                   "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                   "fill=\"#{:06x}\" opacity=\"0.6\"/>\n",
                   svg_x(screen.cursor_col()), kSvgMargin + kSvgCellHeight * screen.cursor_row(),
                   kSvgCellWidth, kSvgCellHeight, kForeground);
  }
  return out + "</svg>\n";
}

}  // namespace orch::term
