#include "detect/dialog_options.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/text.h"
#include "detect/row_text.h"
#include "detect/rules.h"

namespace orch::detect {
namespace {

constexpr int kReach = 40;      // the last rows of the screen, in which options are looked for
constexpr int kFooterRows = 6;  // the last rows, in which answers beside each other are looked for
constexpr std::string_view kDigits = "0123456789";

// The text without the tick that some agents draw behind an option that was just chosen.
std::string_view without_tick(std::string_view text) {
  for (const std::string_view tick : {"✔", "✓"}) {
    if (text.ends_with(tick)) return bare(text.substr(0, text.size() - tick.size()));
  }
  return text;
}

struct Number {
  int value = 0;          // 0: there is none, or it has more than two digits
  std::string_view text;  // the text after the number
};

// Splits "2. No" into 2 and "No". Claude Code leaves out the blank if the option wraps ("2.Yes").
Number number_at(std::string_view text) {
  if (text.starts_with('(')) text.remove_prefix(1);
  const size_t end = std::min(text.find_first_not_of(kDigits), text.size());
  if (end == 0 || end > 2 || end == text.size()) return {};
  if (text[end] != '.' && text[end] != ')') return {};
  int value = 0;
  for (const char c : text.substr(0, end)) value = value * 10 + (c - '0');
  return {value, text.substr(end + 1)};
}

// The column of an option's number, or of the bracket before it.
size_t number_column(std::string_view row) {
  const size_t digit = std::min(row.find_first_of(kDigits), row.size());
  const bool bracket = digit > 0 && row[digit - 1] == '(';
  return column_of(row, row.substr(bracket ? digit - 1 : digit));
}

// The text of the row before the column, without frames and blanks. Before an option's number it is
// a mark: a cursor of one character, or nothing.
std::string_view mark_before(std::string_view row, size_t column) {
  return bare(row.substr(0, row.size() - from_column(row, column).size()));
}
bool is_mark(std::string_view text) {
  return text.empty() || base::decode_utf8(text).length == text.size();
}

// Whether the words name a key and not an answer: "⇆ select", "ctrl+f fullscreen", "enter confirm".
bool names_key(std::string_view words) {
  constexpr std::array<std::string_view, 12> kKeys{
      "ctrl+", "enter ", "esc ", "tab ", "space ", "shift+", "alt+", "⇆", "↑", "↓", "←", "? for "};
  return std::any_of(kKeys.begin(), kKeys.end(),
                     [words](std::string_view key) { return words.starts_with(key); });
}

// The answers in a row, which two or more blanks set apart: "Allow once   Allow always   Reject".
// Names of keys may follow the last answer and are left out.
std::vector<std::string_view> words_of(std::string_view row) {
  std::vector<std::string_view> words;
  std::string_view text = bare(row);
  while (!text.empty()) {
    const size_t gap = text.find("  ");
    const std::string_view word = bare(text.substr(0, gap));
    if (names_key(word)) break;
    words.push_back(word);
    if (gap == std::string_view::npos) break;
    text = bare(text.substr(gap));
  }
  return words;
}

// Whether the row is still on the screen as it was read into `rows`.
bool is_current(const term::Screen& screen, const Rows& rows, int row) {
  std::string text;
  if (row < screen.size().rows) screen.append_row_text(row, text);
  return text == rows[row].text;
}

// The index of the only answer in the row whose background differs from that of most of the row; -1
// if there is no such answer or more than one.
int highlighted(const term::Screen& screen, int row, const Rows& rows) {
  if (!is_current(screen, rows, row)) return -1;
  const std::string_view text = rows[row].text;
  const term::RowView view = screen.row(row);
  const auto same_ground = [&screen](term::StyleId a, term::StyleId b) {
    const term::Style left = screen.style(a), right = screen.style(b);
    return left.bg == right.bg &&
           (left.attributes & term::kInverse) == (right.attributes & term::kInverse);
  };
  std::map<term::StyleId, size_t> cells;
  for (const term::StyleId style : view.styles) ++cells[style];
  const auto most = [&](term::StyleId style) {
    size_t count = 0;
    for (const auto& [other, number] : cells) count += same_ground(style, other) ? number : 0;
    return count;
  };
  int found = -1;
  const std::vector<std::string_view> words = words_of(text);
  for (size_t i = 0; i < words.size(); ++i) {
    const size_t column = column_of(text, words[i]);
    if (column >= view.styles.size()) return -1;
    if (2 * most(view.styles[column]) >= view.styles.size()) continue;
    if (found >= 0) return -1;
    found = static_cast<int>(i);
  }
  return found;
}

}  // namespace

RowRange find_numbered(const RuleSet& rules, const Rows& rows) {
  const int used = rows.used();
  const int first = std::max(0, used - kReach);
  int last = used - 1;
  while (last >= first && !rows[last].bits.test(rules.menu_option)) --last;
  if (last < first) return {used, used};
  const size_t column = number_column(rows[last].text);
  RowRange range{last, last + 1};
  while (range.end < used && text_column(rows[range.end].text) > static_cast<int>(column)) {
    ++range.end;
  }
  int expected = number_at(from_column(rows[last].text, column)).value - 1;
  for (int row = last - 1; row >= first && expected > 0; --row) {
    const std::string_view text = rows[row].text;
    if (bare(text).empty() || is_rule(text)) continue;
    if (is_mark(mark_before(text, column)) &&
        number_at(from_column(text, column)).value == expected) {
      range.begin = row;
      --expected;
    } else if (text_column(text) < static_cast<int>(column)) {
      break;
    }
  }
  return range;
}

RowRange find_listed(const RuleSet& rules, const Rows& rows) {
  constexpr int kCursorColumns = 2;  // the glyph and a blank
  const int used = rows.used();
  for (int row = used - 1; row >= std::max(0, used - kReach); --row) {
    if (!rows[row].bits.test(rules.plain_cursor)) continue;
    const int column = text_column(rows[row].text) + kCursorColumns;
    RowRange range{row, row + 1};
    while (range.begin > 0 && text_column(rows[range.begin - 1].text) == column) --range.begin;
    while (range.end < used && text_column(rows[range.end].text) == column) ++range.end;
    if (range.end - range.begin >= 2) return range;
  }
  return {used, used};
}

RowRange find_beside(const Rows& rows) {
  const int used = rows.used();
  for (int row = used - 1; row >= std::max(0, used - kFooterRows); --row) {
    const bool may_hold_two = bare(rows[row].text).find("  ") != std::string_view::npos;
    if (may_hold_two && words_of(rows[row].text).size() >= 2) return {row, row + 1};
  }
  return {used, used};
}

// Rows between two numbers belong to the option before them: its text wraps, or has a description.
// The range contains rows after the last number only if they are indented further than the number.
Options read_numbered(const RuleSet& rules, const Rows& rows, RowRange range) {
  Options options{.texts = {}, .cursor = -1, .numbered = !range.empty()};
  if (range.empty() || !rows[range.begin].bits.test(rules.menu_option)) return options;
  const size_t column = number_column(rows[range.begin].text);
  for (int row = range.begin; row < range.end; ++row) {
    const std::string_view text = rows[row].text;
    const std::string_view words = bare(text);
    if (words.empty() || is_rule(text)) continue;
    const Number number = number_at(from_column(text, column));
    const std::string_view mark = mark_before(text, column);
    const bool next =
        number.value > 0 && is_mark(mark) &&
        (options.texts.empty() || options.texts.size() + 1 == static_cast<size_t>(number.value));
    if (!next) {
      if (!options.texts.empty()) options.texts.back().append(" ").append(words);
      continue;
    }
    if (!mark.empty()) options.cursor = static_cast<int>(options.texts.size());
    if (options.texts.empty()) options.first = number.value;
    options.texts.emplace_back(without_tick(bare(number.text)));
    options.numbered = options.numbered && number.value == static_cast<int>(options.texts.size());
  }
  return options;
}

Options read_listed(const RuleSet& rules, const Rows& rows, RowRange range) {
  Options options;
  for (int row = range.begin; row < range.end; ++row) {
    std::string_view text = bare(rows[row].text);
    if (rows[row].bits.test(rules.plain_cursor)) {
      options.cursor = static_cast<int>(options.texts.size());
      text.remove_prefix(base::decode_utf8(text).length);
    }
    options.texts.emplace_back(without_tick(bare(text)));
  }
  return options;
}

Options read_beside(const Rows& rows, int row, const term::Screen* screen) {
  Options options;
  for (const std::string_view word : words_of(rows[row].text)) options.texts.emplace_back(word);
  if (screen != nullptr) options.cursor = highlighted(*screen, row, rows);
  return options;
}

RowRange OptionFinder::find(OptionForm form) {
  std::optional<RowRange>& range = found_[static_cast<size_t>(form)];
  if (range) return *range;
  switch (form) {
    case OptionForm::kNumbered:
      range = find_numbered(rules_, rows_);
      break;
    case OptionForm::kListed:
      range = find_listed(rules_, rows_);
      break;
    case OptionForm::kBeside:
      range = find_beside(rows_);
      break;
  }
  return *range;
}

}  // namespace orch::detect
