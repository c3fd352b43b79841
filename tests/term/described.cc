#include "described.h"

#include <fmt/format.h>

namespace orch::term {
namespace {

std::string describe(const char* name, const Color& color) {
  switch (color.kind) {
    case Color::Kind::kDefault:
      return "";
    case Color::Kind::kIndexed:
      return fmt::format(" {}={}", name, color.r);
    case Color::Kind::kRgb:
      return fmt::format(" {}={},{},{}", name, color.r, color.g, color.b);
  }
  return "?";
}

std::string describe(const Modes& m) {
  return fmt::format(
      "visible={} alternate={} autowrap={} origin={} insert={} application={} "
      "keypad={} paste={} focus={} scheme={} clusters={} sync={} mouse={} kitty={} other_keys={}",
      m.cursor_visible, m.alternate, m.autowrap, m.origin, m.insert, m.application_cursor,
      m.application_keypad, m.bracketed_paste, m.focus_reports, m.color_scheme_reports,
      m.grapheme_clusters, m.synchronized, m.mouse, m.kitty_keyboard, m.modify_other_keys);
}

}  // namespace

std::string describe(const Style& style) {
  static constexpr const char* kNames[] = {"bold",  "faint",   "italic", "underline",
                                           "blink", "inverse", "hidden", "strike"};
  std::string out;
  for (unsigned i = 0; i < std::size(kNames); ++i) {
    if (((style.attributes >> i) & 1U) != 0) out += fmt::format(" {}", kNames[i]);
  }
  out += describe("fg", style.fg) + describe("bg", style.bg);
  return out.empty() ? out : out.substr(1);
}

std::string row_text(const Screen& screen, int row) {
  std::string text;
  screen.append_row_text(row, text);
  return text;
}

std::string rows_text(const Screen& screen) {
  std::string out;
  for (int row = 0; row < screen.size().rows; ++row) out += row_text(screen, row) + '|';
  while (!out.empty() && out.back() == '|') out.pop_back();
  return out;
}

std::string describe(const Screen& screen) {
  std::string out = fmt::format("{}x{} cursor {},{} {}\n", screen.size().cols, screen.size().rows,
                                screen.cursor_row(), screen.cursor_col(), describe(screen.modes()));
  for (int row = 0; row < screen.size().rows; ++row) {
    const RowView view = screen.row(row);
    out += fmt::format("{}{} {} {{", row, view.wrapped ? "w" : "", row_text(screen, row));
    for (size_t col = 0; col < view.styles.size(); ++col) {
      if (col > 0 && screen.style(view.styles[col]) == screen.style(view.styles[col - 1])) continue;
      out += fmt::format("{}:{};", col, describe(screen.style(view.styles[col])));
    }
    out += "}\n";
  }
  const Progress progress = screen.progress();
  out += fmt::format("title '{}' state '{}' progress {} {}\n", screen.title(),
                     screen.report_of("").text, static_cast<int>(progress.state), progress.percent);
  for (const char* app : {"one", "two"}) {
    out += fmt::format("{} says '{}'\n", app, screen.report_of(app).text);
  }
  return out + fmt::format("frames {}\n", screen.synchronized_frames());
}

}  // namespace orch::term
