#include "term/painted.h"

#include "base/invisible.h"
#include "base/text.h"

namespace orch::term {
namespace {

Rgb rgb_of(const Color& color, Rgb otherwise) {
  switch (color.kind) {
    case Color::Kind::kDefault:
      return otherwise;
    case Color::Kind::kIndexed:
      return palette_color(color.r);
    case Color::Kind::kRgb:
      return static_cast<Rgb>(color.r) << 16 | static_cast<Rgb>(color.g) << 8 | color.b;
  }
  return otherwise;
}

PaintedRun paint_of(const Style& style) {
  PaintedRun paint;
  paint.fg = rgb_of(style.fg, kForeground);
  paint.bg = rgb_of(style.bg, kBackground);
  if ((style.attributes & kInverse) != 0) std::swap(paint.fg, paint.bg);
  constexpr int kPainted = kBold | kFaint | kItalic | kUnderline | kStrike;
  paint.attributes = static_cast<uint16_t>(style.attributes & kPainted);
  return paint;
}

bool is_blank(const PaintedRun& run) {
  return run.bg == kBackground && (run.attributes & (kUnderline | kStrike)) == 0 &&
         run.text.empty();
}

// Appends the cells [from, to), which have one style, as runs.
void append_runs(const Screen& screen, const RowView& row, size_t from, size_t to,
                 std::vector<PaintedRun>& runs) {
  const Style style = screen.style(row.styles[from]);
  const bool hidden = (style.attributes & kHidden) != 0;
  const PaintedRun paint = paint_of(style);
  const auto begin = [&](size_t col) {
    runs.push_back(paint);
    runs.back().col = static_cast<int>(col);
  };
  bool open = false;  // the last run takes further cells
  for (size_t i = from, width = 1; i < to; i += width) {
    const CellCode code = row.codes[i];
    width = i + 1 < to && row.codes[i + 1] == kWideTail ? 2 : 1;
    const bool single = width == 1 && code < kClusterBase;
    if (!open || !single) begin(i);
    open = single;
    PaintedRun& run = runs.back();
    run.one_character = !single;
    run.cols += static_cast<int>(width);
    if (hidden || code == kBlank || code == kWideTail || base::is_invisible(code)) {
      run.text += ' ';
    } else if (code < kClusterBase) {
      base::append_utf8(run.text, code);
    } else {
      std::string text;
      screen.append_text({row.codes.subspan(i, 1), row.styles.subspan(i, 1), false}, text);
      run.text += base::without_invisible(text);
    }
  }
}

}  // namespace

std::vector<PaintedRun> painted_row(const Screen& screen, int row_number) {
  const RowView row = screen.row(row_number);
  std::vector<PaintedRun> runs;
  for (size_t from = 0; from < row.codes.size();) {
    size_t to = from + 1;
    while (to < row.codes.size() && row.styles[to] == row.styles[from]) ++to;
    append_runs(screen, row, from, to, runs);
    from = to;
  }
  for (PaintedRun& run : runs) {
    if ((run.attributes & (kUnderline | kStrike)) == 0) {
      run.text.resize(run.text.find_last_not_of(' ') + 1);
    }
  }
  while (!runs.empty() && is_blank(runs.back())) runs.pop_back();
  return runs;
}

}  // namespace orch::term
