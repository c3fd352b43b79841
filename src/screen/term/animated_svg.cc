#include "term/animated_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "term/svg.h"

namespace orch::term {
namespace {

// Colours of a light picture.
constexpr Rgb kLightForeground = 0x1F2328, kLightBackground = 0xFFFFFF;

// A colour that was chosen for a dark screen, made readable on a light one.
Rgb on_light(Rgb color) {
  constexpr unsigned kBright = 140;  // brighter ones are hard to read on white
  const unsigned red = color >> 16, green = (color >> 8) & 0xFF, blue = color & 0xFF;
  const unsigned brightness = (red * 3 + green * 6 + blue) / 10;
  if (brightness <= kBright) return color;
  const auto darker = [&](unsigned part) { return part * kBright / brightness * 4 / 5; };
  return (darker(red) << 16) | (darker(green) << 8) | darker(blue);
}

std::string percent(int64_t ms, int64_t end_ms) {
  return fmt::format("{:.2f}%", 100.0 * static_cast<double>(ms) / static_cast<double>(end_ms));
}

}  // namespace

AnimatedSvg::AnimatedSvg(Size size)
    : size_(size),
      now_(static_cast<size_t>(size.rows)),
      since_(static_cast<size_t>(size.rows), 0) {}

void AnimatedSvg::add(int64_t ms, const Screen& screen,
                      const std::map<int, std::vector<PaintedRun>>& instead) {
  const int rows = std::min(size_.rows, screen.size().rows);
  for (int i = 0; i < rows; ++i) {
    const bool has_cursor = screen.modes().cursor_visible && screen.cursor_row() == i;
    const auto other = instead.find(i);
    Row row{other == instead.end() ? painted_row(screen, i) : other->second,
            has_cursor ? screen.cursor_col() : -1};
    if (row == now_[static_cast<size_t>(i)]) continue;
    end_row(i, ms);
    now_[static_cast<size_t>(i)] = std::move(row);
  }
}

void AnimatedSvg::end_row(int number, int64_t ms) {
  const auto i = static_cast<size_t>(number);
  const bool is_blank = now_[i].runs.empty() && now_[i].cursor < 0;
  if (!is_blank && ms > since_[i]) shown_.push_back({std::move(now_[i]), number, since_[i], ms});
  since_[i] = ms;
}

std::string AnimatedSvg::color_class(Rgb color) {
  if (color == kForeground) return "f";
  return "c" + std::to_string(colors_.try_emplace(color, colors_.size()).first->second);
}

void AnimatedSvg::append_run(const PaintedRun& run, double y, std::string& out) {
  if (run.bg != kBackground) {
    fmt::format_to(std::back_inserter(out),
                   "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.0f}\" width=\"{:.1f}\" height=\"17\"/>",
                   color_class(run.bg), svg_x(run.col), y, kSvgCellWidth * run.cols);
  }
  // Viewers make one blank of several, so each word between two of them is placed by itself.
  int col = run.col;
  for (std::string_view rest = run.text; !rest.empty();) {
    const size_t begin = std::min(rest.find_first_not_of(' '), rest.size());
    rest.remove_prefix(begin);
    col += static_cast<int>(begin);
    const std::string_view words = rest.substr(0, rest.find("  "));
    const int cols = run.one_character ? run.cols : svg_characters(words);
    if (!words.empty()) append_words(run, words, col, cols, y, out);
    rest.remove_prefix(words.size());
    col += cols;
  }
}

void AnimatedSvg::append_words(const PaintedRun& run, std::string_view words, int col, int cols,
                               double y, std::string& out) {
  std::string classes = color_class(run.fg);
  if ((run.attributes & kBold) != 0) classes += " o";
  if ((run.attributes & kItalic) != 0) classes += " i";
  if ((run.attributes & kFaint) != 0) classes += " d";
  if ((run.attributes & kUnderline) != 0) classes += " u";
  if ((run.attributes & kStrike) != 0) classes += " s";
  fmt::format_to(std::back_inserter(out),
                 "<text class=\"{}\" x=\"{:.1f}\" y=\"{:.0f}\" textLength=\"{:.1f}\">", classes,
                 svg_x(col), y + kSvgBaseline, kSvgCellWidth * cols);
  base::append_entities(out, words);
  out += "</text>";
}

void AnimatedSvg::append_row(const Shown& shown, std::string& out) {
  const double y = kSvgMargin + kSvgCellHeight * shown.number;
  for (const PaintedRun& run : shown.row.runs) append_run(run, y, out);
  if (shown.row.cursor < 0) return;
  fmt::format_to(std::back_inserter(out),
                 "<rect class=\"f d\" x=\"{:.1f}\" y=\"{:.0f}\" width=\"8.4\" height=\"17\"/>",
                 svg_x(shown.row.cursor), y);
}

std::string AnimatedSvg::finish(int64_t end_ms) {
  end_ms = std::max<int64_t>(end_ms, 1);
  for (int i = 0; i < size_.rows; ++i) end_row(i, end_ms);
  std::map<std::pair<int64_t, int64_t>, size_t> times;
  std::string rows;
  for (const Shown& shown : shown_) {
    const bool is_always = shown.from == 0 && shown.until == end_ms;
    if (is_always) {
      rows += "<g>";
    } else {
      const size_t time = times.try_emplace({shown.from, shown.until}, times.size()).first->second;
      rows += fmt::format("<g class=\"a t{}\">", time);
    }
    append_row(shown, rows);
    rows += "</g>\n";
  }
  std::string style = fmt::format(
      ".b{{fill:#{:06x}}}.f{{fill:#{:06x}}}.o{{font-weight:bold}}.i{{font-style:italic}}"
      ".d{{opacity:.6}}.u{{text-decoration:underline}}.s{{text-decoration:line-through}}"
      ".a{{animation:{}ms step-end infinite}}\n",
      kBackground, kForeground, end_ms);
  std::string light =
      fmt::format(".b{{fill:#{:06x}}}.f{{fill:#{:06x}}}", kLightBackground, kLightForeground);
  for (const auto& [color, number] : colors_) {
    style += fmt::format(".c{}{{fill:#{:06x}}}", number, color);
    light += fmt::format(".c{}{{fill:#{:06x}}}", number, on_light(color));
  }
  style += "\n@media(prefers-color-scheme:light){" + light + "}\n";
  for (const auto& [time, number] : times) {
    const auto [from, until] = time;
    const bool is_last = until == end_ms;
    style += fmt::format(".t{0}{{opacity:{1};animation-name:t{0}}}@keyframes t{0}{{", number,
                         is_last ? 1 : 0);
    if (from > 0) style += "0%{opacity:0}";
    style += percent(from, end_ms) + "{opacity:1}";
    if (!is_last) style += percent(until, end_ms) + "{opacity:0}";
    style += "}\n";
  }
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
             "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"ui-monospace,Menlo,Consolas,'DejaVu "
             "Sans Mono',monospace\" font-size=\"14\" xml:space=\"preserve\">\n",
             2 * kSvgMargin + kSvgCellWidth * size_.cols,
             2 * kSvgMargin + kSvgCellHeight * size_.rows) +
         "<style>" + style + "</style>\n<rect class=\"b\" width=\"100%\" height=\"100%\"/>\n" +
         rows + "</svg>\n";
}

}  // namespace orch::term
