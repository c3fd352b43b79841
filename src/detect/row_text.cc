#include "detect/row_text.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "term/width.h"

namespace orch::detect {
namespace {

// Blanks, and glyphs that frame text.
constexpr std::array<std::string_view, 12> kFrame{" ", "\t", "\u00a0", "│", "┃", "|",
                                                  "╭", "╰",  "╮",      "╯", "╻", "╹"};

std::string_view without_blanks(std::string_view row) {
  return row.substr(std::min(row.find_first_not_of(' '), row.size()));
}

}  // namespace

bool is_boundary(std::string_view row) {
  if (!is_rule(row)) return false;
  const std::string_view core = without_blanks(row);
  const bool dashed =
      core.find("╌") != std::string_view::npos && core.find("─") == std::string_view::npos;
  return !dashed && !core.starts_with("│") && !core.starts_with("┃");
}

size_t columns(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(text.begin(), text.end(), is_ascii)) return text.size();
  size_t count = 0;
  while (!text.empty()) count += static_cast<size_t>(term::take_character(text).columns);
  return count;
}

int text_column(std::string_view row) {
  const std::string_view text = bare(row);
  return text.empty() ? -1 : static_cast<int>(column_of(row, text));
}

std::string_view from_column(std::string_view row, size_t column) {
  size_t i = 0;
  for (size_t seen = 0; i < row.size(); ++i) {
    if ((row[i] & 0xC0) == 0x80) continue;
    if (seen == column) break;
    ++seen;
  }
  return row.substr(i);
}

size_t column_of(std::string_view row, std::string_view part) {
  const std::string_view before = row.substr(0, static_cast<size_t>(part.data() - row.data()));
  return static_cast<size_t>(
      std::count_if(before.begin(), before.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string_view bare(std::string_view text) {
  // Most rows begin and end with blanks or letters, which need no search among the glyphs.
  const auto may_frame = [](char edge) {
    const auto byte = static_cast<unsigned char>(edge);
    return byte <= ' ' || byte >= 0x80 || byte == '|';
  };
  const auto strip = [&text](auto at_edge, auto cut) {
    const auto found = std::find_if(kFrame.begin(), kFrame.end(), at_edge);
    if (found == kFrame.end()) return false;
    cut(found->size());
    return !text.empty();
  };
  while (!text.empty() && may_frame(text.front()) &&
         strip([&text](std::string_view g) { return text.starts_with(g); },
               [&text](size_t n) { text.remove_prefix(n); })) {
  }
  while (!text.empty() && may_frame(text.back()) &&
         strip([&text](std::string_view g) { return text.ends_with(g); },
               [&text](size_t n) { text.remove_suffix(n); })) {
  }
  return text;
}

bool is_rule(std::string_view text) {
  constexpr int kShortest = 8;
  int glyphs = 0;
  while (!text.empty()) {
    const base::Decoded c = base::decode_utf8(text);
    text.remove_prefix(c.length);
    if (c.code_point == ' ') continue;
    if (c.code_point < 0x2500 || c.code_point > 0x259F) return false;  // box drawing, blocks
    ++glyphs;
  }
  return glyphs >= kShortest;
}

std::string joined(const Rows& rows, RowRange range) {
  std::string out;
  for (int row = range.begin; row < range.end; ++row) {
    const std::string_view text = bare(rows[row].text);
    if (text.empty()) continue;
    if (!out.empty()) out += ' ';
    out += text;
  }
  return out;
}

}  // namespace orch::detect
