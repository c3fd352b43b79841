#include "ui/canvas.h"

#include <algorithm>
#include <utility>

#include "base/invisible.h"
#include "base/text.h"
#include "term/cluster_table.h"
#include "term/width.h"

namespace orch::ui {
namespace {

constexpr char32_t kReplacement = 0xFFFD, kJoiner = 0x200D, kEmojiSelector = 0xFE0F;

int width_of(char32_t code_point) { return term::WidthTable::instance().width(code_point); }

bool is_skin_tone(char32_t code_point) { return code_point >= 0x1F3FB && code_point <= 0x1F3FF; }

std::u32string decoded(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const base::Decoded c = base::decode_utf8(text);
    out += c.code_point;
    text.remove_prefix(c.length);
  }
  return out;
}

// Leaves out the parts of an emoji sequence that make its narrow first character wide only on some
// terminals. The two letters of a flag take two columns on all of them.
void keep_narrow(std::u32string& characters) {
  std::erase(characters, kEmojiSelector);
  int apart = 0;
  for (const char32_t c : characters) apart += width_of(c);
  if (characters.empty() || apart == term::columns_of_cell(characters)) return;
  const auto joined = std::find_if(characters.begin() + 1, characters.end(),
                                   [](char32_t c) { return width_of(c) > 0; });
  characters.erase(joined, characters.end());
}

// The glyph of a character and its marks. A skin tone without an emoji would colour the character
// to its left, and a joiner at the end would swallow the character to its right: they are replaced
// or left out.
Glyph glyph_of(std::u32string characters) {
  if (width_of(characters.front()) < 2) keep_narrow(characters);
  while (characters.size() > 1 && characters.back() == kJoiner) characters.pop_back();
  if (characters.empty() || is_skin_tone(characters.front())) characters.assign(1, kReplacement);
  Glyph glyph{.text = "", .width = term::columns_of_cell(characters)};
  for (const char32_t c : characters) base::append_utf8(glyph.text, c);
  return glyph;
}

bool goes_left(const std::u32string& left, char32_t code_point) {
  if (left.empty()) return false;
  if (width_of(code_point) == 0) return true;
  return width_of(left.front()) == 2 && term::joins_emoji(left, code_point);
}

// Whether each byte is a glyph of one column, as in most texts: then no glyphs need to be made.
bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

// Leaves out the invisible marks, which may stand in a cell of a screen but not on a canvas.
std::u32string visible(const std::u32string& characters) {
  std::u32string out;
  for (size_t i = 0; i < characters.size(); ++i) {
    const char32_t c = characters[i], after = i + 1 < characters.size() ? characters[i + 1] : 0;
    if (base::is_invisible(c) &&
        !base::shapes_its_neighbours(out.empty() ? 0 : out.back(), c, after)) {
      if (i == 0) out += kReplacement;
    } else if (!out.empty() && width_of(c) > 0 && !term::joins_emoji(out, c)) {
      break;  // the joiner before it was left out
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::vector<Glyph> glyphs(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
  std::vector<Glyph> out;
  std::u32string open;
  for (const char32_t c : decoded(base::printable(line))) {
    if (goes_left(open, c)) {
      if (open.size() <= term::kMaxMarks) open += c;
      continue;
    }
    if (!open.empty()) out.push_back(glyph_of(std::exchange(open, {})));
    if (width_of(c) > 0) open.assign(1, c);
  }
  if (!open.empty()) out.push_back(glyph_of(std::move(open)));
  return out;
}

int columns_of(std::string_view text) {
  if (is_plain(text)) return static_cast<int>(text.size());
  int columns = 0;
  for (const Glyph& glyph : glyphs(text)) columns += glyph.width;
  return columns;
}

std::string fitted(std::string_view text, int columns) {
  if (is_plain(text) && static_cast<int>(text.size()) <= columns) return std::string(text);
  std::string out;
  int used = 0;
  size_t cut = 0;
  for (const Glyph& glyph : glyphs(text)) {
    if (used + glyph.width > columns) {
      out.resize(cut);
      return columns > 0 ? out + "…" : out;
    }
    out += glyph.text;
    used += glyph.width;
    if (used < columns) cut = out.size();
  }
  return out;
}

Canvas::Canvas(term::Size size)
    : size_(size), cells_(static_cast<size_t>(size.cols) * static_cast<size_t>(size.rows)) {}

int Canvas::put(int row, int col, std::string_view text, const term::Style& style, int width) {
  int left = width;
  for (const Glyph& glyph : glyphs(text)) {
    if (glyph.width > left || col >= size_.cols) break;
    set(row, col, glyph, style);
    col += glyph.width;
    left -= glyph.width;
  }
  return col;
}

void Canvas::set(int row, int col, const Glyph& glyph, const term::Style& style) {
  const bool fits = has(row, col) && has(row, col + glyph.width - 1);
  for (int at = col; at < col + glyph.width; ++at) {
    if (!has(row, at)) continue;
    split_wide(row, at);
    cells_[index(row, at)] = {{}, style};
  }
  if (!fits) return;
  cells_[index(row, col)].glyph = glyph;
  if (glyph.width == 2) cells_[index(row, col + 1)].glyph = {.text = "", .width = 0};
}

// Before one cell of a wide character is overwritten, both of its cells become spaces.
void Canvas::split_wide(int row, int col) {
  const int width = cell(row, col).glyph.width;
  if (width == 1) return;
  cells_[index(row, width == 0 ? col - 1 : col)].glyph = {};
  cells_[index(row, width == 0 ? col : col + 1)].glyph = {};
}

void Canvas::fill(const Area& area, const term::Style& style) {
  for (int row = std::max(area.row, 0); row < std::min(area.row + area.rows, size_.rows); ++row) {
    for (int col = std::max(area.col, 0); col < std::min(area.col + area.cols, size_.cols); ++col) {
      set(row, col, {}, style);
    }
  }
}

void Canvas::mark(const Area& area, uint16_t attributes) {
  for (int row = std::max(area.row, 0); row < std::min(area.row + area.rows, size_.rows); ++row) {
    for (int col = std::max(area.col, 0); col < std::min(area.col + area.cols, size_.cols); ++col) {
      cells_[index(row, col)].style.attributes |= attributes;
    }
  }
}

void Canvas::restyle(const std::function<term::Style(term::Style)>& change) {
  for (Cell& cell : cells_) cell.style = change(cell.style);
}

void Canvas::draw(const term::Screen& screen, const Area& part, int row, int col) {
  const int last_row = std::min(part.row + part.rows, screen.size().rows);
  const int last_col = std::min(part.col + part.cols, screen.size().cols);
  for (int from_row = std::max(part.row, 0); from_row < last_row; ++from_row) {
    const int to_row = row + from_row - part.row;
    for (int from = std::max(part.col, 0); from < last_col; ++from) {
      const int width =
          draw_cell(screen, {from_row, from}, last_col, {to_row, col + from - part.col});
      from += width - 1;
    }
  }
}

// Draws one character and returns how many columns it took. A wide character that the part's edge
// cuts in half becomes a space.
int Canvas::draw_cell(const term::Screen& screen, const Position& from, int end,
                      const Position& to) {
  const term::RowView view = screen.row(from.row);
  const auto at = static_cast<size_t>(from.col);
  const term::Style style = screen.style(view.styles[at]);
  const bool wide = at + 1 < view.codes.size() && view.codes[at + 1] == term::kWideTail;
  std::string text;
  screen.append_text({view.codes.subspan(at, 1), view.styles.subspan(at, 1)}, text);
  const bool cut = wide && from.col + 1 == end;
  const Glyph glyph = text.empty() || cut ? Glyph{} : glyph_of(visible(decoded(text)));
  set(to.row, to.col, glyph, style);
  if (!wide || cut) return 1;
  if (glyph.width == 1) set(to.row, to.col + 1, {}, style);
  return 2;
}

}  // namespace orch::ui
