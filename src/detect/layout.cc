#include "detect/layout.h"

#include <algorithm>

#include "base/text.h"
#include "detect/dialog_options.h"

namespace orch::detect {
namespace {

bool has(const Rows& rows, int row, const std::optional<size_t>& bit) {
  return bit && rows[row].bits.test(*bit);
}

// The row of the lower border of a box whose prompt row is `row`; `used` if there is none.
int lower_border(const BoxRules& box, const Rows& rows, int row, int used) {
  int bottom = row + 1;
  while (bottom < used && !has(rows, bottom, box.bottom) && !has(rows, bottom, box.not_prompt)) {
    ++bottom;
  }
  return bottom < used && has(rows, bottom, box.bottom) ? bottom : used;
}

// The first row of the footer below a box whose prompt row is `row`; `used` if there is none.
int footer_begin(const BoxRules& box, const Rows& rows, int row, int used) {
  constexpr int kMostRows = 3;  // a status row, a hint row, a count of warnings
  // Below a message of the user a dialog may stand, with a footer of its own.
  for (int below = row + 1; below < used; ++below) {
    if (has(rows, below, box.not_prompt)) return used;
  }
  int begin = used;
  while (begin > row + 2 && !rows[begin - 1].blank) {
    if (!has(rows, begin - 1, box.footer)) return used;
    --begin;
  }
  return rows[begin - 1].blank && used - begin <= kMostRows ? begin : used;
}

// The same if `row` may also be the cursor row of a list of choices. A list ends with a row that
// names keys, and its cursor row is tinted.
int untinted_footer_begin(const BoxRules& box, const Rows& rows, int row, int used) {
  if (!box.list_end || rows[row].first.tinted()) return used;
  const int begin = footer_begin(box, rows, row, used);
  for (int below = begin; below < used; ++below) {
    if (has(rows, below, box.list_end)) return used;
  }
  return begin;
}

// The row after the text of a box whose prompt row is `row`; `used` if the box has no end.
int text_end(const BoxRules& box, const Rows& rows, int row, int used) {
  const bool may_be_choice = has(rows, row, box.not_prompt);
  if (box.footer) {
    return may_be_choice ? untinted_footer_begin(box, rows, row, used)
                         : footer_begin(box, rows, row, used);
  }
  return may_be_choice ? used : lower_border(box, rows, row, used);
}

// Finds a box between borders: the last prompt row that has its borders.
bool find_bordered(const BoxRules& box, const Rows& rows, Layout& layout) {
  const int used = layout.used;
  const int first = std::max(0, used - box.spec.within);
  for (int row = used - 1; row >= first; --row) {
    if (!has(rows, row, box.prompt)) continue;
    if (box.top && (row == 0 || !has(rows, row - 1, box.top))) continue;
    const bool ends = box.bottom || box.footer;
    if (!ends && has(rows, row, box.not_prompt)) continue;
    const int bottom = ends ? text_end(box, rows, row, used) : used;
    if (ends && bottom == used) continue;
    layout.box_rows = {row, bottom};
    layout.box_top = box.top ? row - 1 : row;
    layout.box_end = std::min(bottom + 1, used);
    return true;
  }
  return false;
}

// Whether a row may belong to a box below the box's first row.
bool continues_box(const BoxRules& box, const Rows& rows, int row) {
  return rows[row].blank || (has(rows, row, box.continued) && !has(rows, row, box.top));
}

// Finds a box without an upper border that fills the screen, so that its end is not shown. If its
// first row says that it has scrolled, the box may fill only the lower part of the screen.
bool find_filling(const BoxRules& box, const Rows& rows, Layout& layout) {
  constexpr int kRowsAround = 3;  // the most rows above the box, and blank rows under it
  int row = layout.used - 1;
  while (row > 0 && continues_box(box, rows, row)) --row;
  if (row < 0 || layout.used < rows.count() - kRowsAround) return false;
  if (row > kRowsAround && !has(rows, row, box.scrolled)) return false;
  if (!has(rows, row, box.prompt)) return false;
  const bool lists = !box.list_end || has(rows, layout.used - 1, box.list_end);
  if (has(rows, row, box.not_prompt) && lists) return false;
  layout.box_rows = {row, layout.used};
  layout.box_top = row;
  layout.box_end = layout.used;
  return true;
}

// Finds a box that holds more text than it can show: its first row, with the prompt, is not shown.
bool find_scrolled(const BoxRules& box, const Rows& rows, Layout& layout) {
  constexpr int kRowsBelow = 3;  // the most rows under the box: hints, a mode
  int bottom = layout.used - 1;
  const int first = std::max(1, layout.used - 1 - kRowsBelow);
  while (bottom >= first && !has(rows, bottom, box.bottom)) --bottom;
  if (bottom < first) return false;
  int top = bottom;
  while (top > 0 && continues_box(box, rows, top - 1)) --top;
  // The prompt row may be the first row of the screen, so that the upper border is not shown.
  if (top == 1 && has(rows, 0, box.prompt)) top = 0;
  const bool fills_screen = top == 0 && layout.used >= rows.count() - 1;
  if (top == bottom || !(fills_screen || (top > 0 && has(rows, top - 1, box.scrolled)))) {
    return false;
  }
  layout.box_rows = {top, bottom};
  layout.box_top = std::max(0, top - 1);
  layout.box_end = bottom + 1;
  return true;
}

// Finds a box by its lower border and the glyph at the side of its rows.
bool find_sided(const BoxRules& box, const Rows& rows, Layout& layout) {
  const int first = std::max(0, layout.used - box.spec.within);
  for (int bottom = layout.used - 1; bottom >= first; --bottom) {
    if (!has(rows, bottom, box.bottom)) continue;
    int top = bottom;
    while (top > 0 && has(rows, top - 1, box.side)) --top;
    const int text_end = bottom - box.spec.tail_rows;
    if (top >= text_end) return false;
    layout.box_rows = {top, text_end};
    layout.box_top = top;
    layout.box_end = bottom + 1;
    return true;
  }
  return false;
}

// Finds a box between two borders at the end of the screen, whatever its rows hold.
bool find_enclosed(const BoxRules& box, const Rows& rows, Layout& layout) {
  const int first = std::max(1, layout.used - box.spec.within);
  int bottom = layout.used - 1;
  while (bottom >= first && !has(rows, bottom, box.bottom)) --bottom;
  if (bottom < first) return false;
  int top = bottom - 1;
  while (top >= 0 && bottom - top <= box.spec.enclosed && !has(rows, top, box.top)) {
    if (has(rows, top, box.not_prompt)) return false;
    --top;
  }
  if (top < 0 || top == bottom - 1 || !has(rows, top, box.top)) return false;
  layout.box_rows = {top + 1, bottom};
  layout.box_top = top;
  layout.box_end = bottom + 1;
  return true;
}

// Finds a box that ends with the cursor's row.
bool find_at_cursor(const BoxRules& box, const Rows& rows, Layout& layout) {
  constexpr int kMostRows = 20;
  const int cursor = rows.cursor_row();
  if (cursor < 0 || cursor < layout.used - box.spec.within || cursor >= rows.count()) return false;
  const int first = box.each ? 0 : std::max(0, cursor - kMostRows);
  int row = cursor;
  while (row >= first && !rows[row].blank && !has(rows, row, box.prompt)) --row;
  while (box.each && row > 0 && has(rows, row - 1, box.prompt)) --row;
  if (row < first || !has(rows, row, box.prompt) || has(rows, row, box.not_prompt)) return false;
  layout.box_rows = {row, cursor + 1};
  layout.box_top = row;
  layout.box_end = cursor + 1;
  return true;
}

bool find_box(const BoxRules& box, const Rows& rows, Layout& layout) {
  if (box.spec.enclosed > 0) return find_enclosed(box, rows, layout);
  if (box.spec.at_cursor) return find_at_cursor(box, rows, layout);
  if (box.side ? find_sided(box, rows, layout) : box.prompt && find_bordered(box, rows, layout)) {
    return true;
  }
  if (!box.continued) return false;
  return box.top ? find_scrolled(box, rows, layout) : find_filling(box, rows, layout);
}

constexpr int kMaxBody = 30;  // rows of text above the choices

// Whether the row begins an entry of the transcript with one of the bullets that agents draw.
bool begins_with_bullet(std::string_view text) {
  text = text.substr(std::min(text.find_first_not_of(' '), text.size()));
  for (const std::string_view bullet : {"●", "⏺", "•", "◦", "✦", "■", "✕", "ℹ"}) {
    if (text.starts_with(bullet)) return true;
  }
  return false;
}

RowRange find_dialog(const Rows& rows, RowRange choices, int used) {
  const int below = choices.empty() ? used : choices.begin;
  int top = below;
  // If the last row closes a frame, it belongs to the dialog.
  if (choices.empty() && top > 0 && is_boundary(rows[top - 1].text)) --top;
  while (top > 0 && below - top < kMaxBody && !is_boundary(rows[top - 1].text) &&
         !begins_with_bullet(rows[top - 1].text)) {
    --top;
  }
  return {top, used};
}

}  // namespace

Layout find_layout(const RuleSet& rules, const Rows& rows) {
  Layout layout;
  layout.used = rows.used();
  for (const BoxRules& box : rules.boxes) {
    layout.box = find_box(box, rows, layout);
    if (!layout.box) continue;
    layout.kind = &box;
    break;
  }
  const int end = layout.box ? layout.box_top : layout.used;
  for (int row = end - 1; row >= 0; --row) {
    if (!has(rows, row, rules.user_message)) continue;
    layout.turn_begin = row + 1;
    break;
  }
  OptionFinder options(rules, rows);
  layout.known = find_known_dialog(rules, rows, options);
  if (layout.known) {
    layout.choices = layout.known->options;
    layout.numbered = layout.known->numbered;
    layout.dialog = {layout.known->begin, layout.used};
    return layout;
  }
  // Rows above the input box are part of the transcript: an agent draws a dialog under the box or
  // in its place.
  const auto at_end = [&layout](RowRange found) {
    const bool over_box = layout.box && found.begin < layout.box_end;
    return over_box ? RowRange{layout.used, layout.used} : found;
  };
  const OptionRows stacked = options.find(OptionForm::kStacked);
  layout.choices = at_end(stacked.rows);
  layout.numbered = stacked.numbered && !layout.choices.empty();
  layout.dialog = at_end(find_dialog(rows, layout.choices, layout.used));
  return layout;
}

RowRange region_rows(const RegionSpec& spec, const Layout& layout) {
  switch (spec.region) {
    case Region::kScreen:
      return {0, layout.used};
    case Region::kBottom:
      return {std::max(0, layout.used - spec.rows), layout.used};
    case Region::kBox:
      return layout.box ? layout.box_rows : RowRange{};
    case Region::kAbove:
      return layout.box ? RowRange{std::max(0, layout.box_top - spec.rows), layout.box_top}
                        : RowRange{};
    case Region::kBelow:
      return layout.box ? RowRange{layout.box_end, layout.used} : RowRange{};
    case Region::kTurn:
      return {layout.turn_begin, layout.box ? layout.box_top : layout.used};
    case Region::kDialog:
      return layout.dialog;
    case Region::kTitle:
    case Region::kReport:
    case Region::kProgress:
      return {};
  }
  return {};
}

bool has_menu(const RuleSet& rules, const Rows& rows, const Layout& layout, RowRange range) {
  const RowRange& choices = layout.choices;
  if (layout.known || (!layout.numbered && !choices.empty())) {
    return choices.begin >= range.begin && choices.end <= range.end;
  }
  const RowRange inside{std::max(range.begin, choices.begin), std::min(range.end, choices.end)};
  int options = 0;
  for (int row = inside.begin; row < inside.end; ++row) {
    options += rows[row].bits.test(rules.menu_option) ? 1 : 0;
  }
  return options >= 2 && has_cursor(rules, rows, inside);
}

std::string spoken(const Rows& rows, const Layout& layout) {
  const auto blank = [&rows](int row) { return bare(rows[row].text).empty(); };
  RowRange title, asks, rest;
  if (layout.known) {
    title = {layout.known->title, layout.known->title + 1};
    if (layout.known->title < 0) title = {};
    asks = layout.known->asks;
    rest = {layout.known->options.begin, layout.used};
  } else {
    const int below = layout.choices.empty() ? layout.used : layout.choices.begin;
    title.begin = layout.dialog.begin;
    while (title.begin < below && blank(title.begin)) ++title.begin;
    title.end = std::min(title.begin + 1, below);
    asks.end = below;
    while (asks.end > title.end && blank(asks.end - 1)) --asks.end;
    asks.begin = asks.end;
    while (asks.begin > title.end && !blank(asks.begin - 1)) --asks.begin;
    rest = {below, layout.used};
  }
  std::string text = joined(rows, title);
  for (const RowRange part : {asks, rest}) text.append(" ").append(joined(rows, part));
  return text;
}

namespace {

std::string text_of_each(const base::Pattern& each, const Rows& rows, const RowRange& box) {
  std::string text;
  for (int row = box.begin; row < box.end; ++row) {
    std::string captured;
    if (!each.capture(rows[row].text, &captured)) captured = rows[row].text;
    if (!text.empty()) text += ' ';
    text += bare(captured);
  }
  return text;
}

}  // namespace

std::string box_text(const Rows& rows, const Layout& layout) {
  if (!layout.box) return {};
  const BoxRules& kind = *layout.kind;
  const RowRange& box = layout.box_rows;
  std::string text = kind.each ? text_of_each(*kind.each, rows, box) : joined(rows, box);
  if (!kind.each && has(rows, box.begin, kind.prompt) && !text.empty()) {
    std::string_view rest = text;
    rest.remove_prefix(base::decode_utf8(rest).length);
    text = std::string(bare(rest));
  }
  const bool hint = box.end - box.begin == 1 && rows[box.begin].hinted;
  if (hint || (kind.placeholder && kind.placeholder->matches(text))) text.clear();
  return text;
}

}  // namespace orch::detect
