#include "detect/dialog_options.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/text.h"
#include "detect/pane.h"
#include "detect/row_text.h"
#include "detect/rules.h"
#include "term/keys.h"

namespace orch::detect {
namespace {

constexpr int kReach = 40;      // the last rows of the screen, searched for options
constexpr int kFooterRows = 6;  // the last rows, searched for answers in one row
constexpr std::string_view kDigits = "0123456789";

// The text without the tick that some agents draw behind an option that was just chosen.
std::string_view without_tick(std::string_view text) {
  for (const std::string_view tick : {"✔", "✓"}) {
    if (text.ends_with(tick)) return bare(text.substr(0, text.size() - tick.size()));
  }
  return text;
}

struct Number {
  int value = 0;          // 0: missing, or more than two digits
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
// a mark: a cursor of one character, or "".
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

// The answers in a row, separated by two or more blanks: "Allow once   Allow always   Reject".
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

// Whether the row is still on the screen in the form that was read into `rows`.
bool is_current(const term::Screen& screen, const Rows& rows, int row) {
  std::string text;
  if (row < screen.size().rows)
    screen.append_text(left_of(screen.row(row), pane_edge(screen)), text);
  return text == rows[row].text;
}

// The index of the only answer in the row whose background neither most of the row nor another
// answer has; -1 if there is none, or more than one.
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
  std::vector<term::StyleId> grounds;  // of the answers
  for (const std::string_view word : words_of(text)) {
    const size_t column = column_of(text, word);
    if (column >= view.styles.size()) return -1;
    grounds.push_back(view.styles[column]);
  }
  int found = -1;
  for (size_t i = 0; i < grounds.size(); ++i) {
    const auto as_this = [&](term::StyleId other) { return same_ground(grounds[i], other); };
    if (2 * most(grounds[i]) >= view.styles.size()) continue;
    if (std::count_if(grounds.begin(), grounds.end(), as_this) > 1) continue;
    if (found >= 0) return -1;
    found = static_cast<int>(i);
  }
  return found;
}

// The glyph that points at an option at the front of a row, with a blank after it; "" without one.
std::string_view pointer_of(std::string_view row) {
  constexpr std::u32string_view kPointers = U">❯›▸▶→●◉";
  const std::string_view text = bare(row);
  const base::Decoded c = base::decode_utf8(text);
  const bool points = !text.empty() && kPointers.find(c.code_point) != std::u32string_view::npos;
  return points && text.substr(c.length).starts_with(' ') ? text.substr(0, c.length)
                                                          : std::string_view();
}

// The row's text behind the pointer, if it has one.
std::string_view behind_pointer(std::string_view row) {
  const std::string_view text = bare(row);
  const std::string_view rest = text.substr(pointer_of(row).size());
  return rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
}

// The column where the row's text begins, not counting the pointer; -1 without text.
int content_column(std::string_view row) {
  const std::string_view text = behind_pointer(row);
  return text.empty() ? -1 : static_cast<int>(column_of(row, text));
}

RowRange find_numbered(const RuleSet& rules, const Rows& rows) {
  const int used = rows.used();
  const int first = std::max(0, used - kReach);
  int last = used - 1;
  while (last >= first && !rows[last].bits.test(rules.menu_option)) --last;
  if (last < first) return {used, used};
  const int column = static_cast<int>(number_column(rows[last].text));
  RowRange range{last, last + 1};
  while (range.end < used && content_column(rows[range.end].text) > column) ++range.end;
  const auto number_in = [column](std::string_view text) {
    return number_at(from_column(text, static_cast<size_t>(column))).value;
  };
  int expected = number_in(rows[last].text) - 1;
  for (int row = last - 1; row >= first && expected > 0; --row) {
    const std::string_view text = rows[row].text;
    if (bare(text).empty() || is_rule(text)) continue;
    if (is_mark(mark_before(text, static_cast<size_t>(column))) && number_in(text) == expected) {
      range.begin = row;
      --expected;
    } else if (content_column(text) < column) {
      break;
    }
  }
  return range;
}

// The column of the options in a list whose cursor is in this row.
int listed_column(std::string_view cursor_row) {
  constexpr int kPointerColumns = 2;  // the glyph and a blank
  return static_cast<int>(column_of(cursor_row, pointer_of(cursor_row))) + kPointerColumns;
}

// How many rows of the range begin an option in this column.
int count_options(const Rows& rows, RowRange range, int column) {
  int count = 0;
  for (int row = range.begin; row < range.end; ++row) {
    count += content_column(rows[row].text) == column ? 1 : 0;
  }
  return count;
}

// Finds the list around the cursor in `row`: the rows without a gap that begin in the options'
// column or further in. If that is a single option, blank rows set the options apart.
RowRange find_listed_at(const Rows& rows, int row) {
  const int used = rows.used();
  const int column = listed_column(rows[row].text);
  const auto belongs = [&rows, column](int at) { return content_column(rows[at].text) >= column; };
  const auto begins = [&rows, column](int at) { return content_column(rows[at].text) == column; };
  const auto grow = [&](RowRange& range) {
    while (range.begin > 0 && belongs(range.begin - 1)) --range.begin;
    while (range.end < used && belongs(range.end)) ++range.end;
  };
  RowRange range{row, row + 1};
  grow(range);
  // Rows further in above the first option do not belong to the list.
  const auto trim = [&] {
    while (range.begin < row && !begins(range.begin)) ++range.begin;
  };
  trim();
  if (count_options(rows, range, column) >= 2 || !begins(row)) return range;
  for (bool grown = true; grown;) {
    const RowRange before = range;
    if (range.begin > 1 && rows[range.begin - 1].blank && belongs(range.begin - 2)) {
      range.begin -= 2;
    }
    if (range.end + 1 < used && rows[range.end].blank && begins(range.end + 1)) range.end += 2;
    grow(range);
    grown = range.begin != before.begin || range.end != before.end;
  }
  trim();
  return range;
}

// Finds a list without numbers by its cursor.
RowRange find_listed(const RuleSet& rules, const Rows& rows) {
  const int used = rows.used();
  for (int row = used - 1; row >= std::max(0, used - kReach); --row) {
    if (!rows[row].bits.test(rules.plain_cursor)) continue;
    const RowRange range = find_listed_at(rows, row);
    if (count_options(rows, range, listed_column(rows[row].text)) >= 2) return range;
  }
  return {used, used};
}

// A tick box at the front of an option, and whether it is ticked. A radio button, where only one
// option can be chosen, is cut off and has no tick.
struct Tick {
  std::optional<bool> ticked;
  std::string_view rest;  // the text behind the box
};
Tick tick_at(std::string_view text) {
  // Each box is a character, or stands between brackets.
  constexpr std::u32string_view kEmpty = U"☐◻", kTicked = U"☑☒◼", kRadio = U"○◉●◯";
  const auto is_in = [](std::u32string_view set, char32_t c) {
    return set.find(c) != std::u32string_view::npos;
  };
  const bool square = text.starts_with('['), round = text.starts_with('(');
  const size_t at = square || round ? 1 : 0;
  const base::Decoded c = base::decode_utf8(text.substr(std::min(at, text.size())));
  std::string_view rest = text.substr(std::min(at + c.length, text.size()));
  if (at > 0 && !rest.starts_with(square ? ']' : ')')) return {std::nullopt, text};
  rest.remove_prefix(std::min(at, rest.size()));
  if (!rest.starts_with(' ')) return {std::nullopt, text};
  const char32_t mark = c.code_point;
  if (square ? mark == ' ' : at == 0 && is_in(kEmpty, mark)) return {false, bare(rest)};
  if (square ? is_in(U"xX*✔✓", mark) : at == 0 && is_in(kTicked, mark)) return {true, bare(rest)};
  const bool radio = round ? is_in(U" •*", mark) : at == 0 && is_in(kRadio, mark);
  return {std::nullopt, radio ? bare(rest) : text};
}

// Reads the rows of a list one after the other.
class StackReader {
 public:
  StackReader(const Rows& rows, const OptionRows& found, size_t column)
      : rows_(rows), found_(found), column_(column) {
    options_.numbered = found.numbered;
  }

  Options read() {
    for (int row = found_.rows.begin; row < found_.rows.end; ++row) {
      if (bare(rows_[row].text).empty() || is_rule(rows_[row].text)) continue;
      if (!take_option(row) && !take_button(row)) take_more(row);
      before_ = row;
    }
    without_letters();
    return std::move(options_);
  }

 private:
  bool take_option(int row) {
    const std::string_view text = rows_[row].text;
    std::string_view label;
    bool marked = !pointer_of(text).empty();
    if (found_.numbered) {
      const Number number = number_at(from_column(text, column_));
      const std::string_view mark = mark_before(text, column_);
      const int expected = static_cast<int>(options_.texts.size()) + options_.first;
      const bool next =
          number.value > 0 && is_mark(mark) && (options_.texts.empty() || number.value == expected);
      if (!next) return false;
      marked = !mark.empty();
      if (options_.texts.empty()) options_.first = number.value;
      label = bare(number.text);
    } else {
      if (content_column(text) != static_cast<int>(column_)) return false;
      label = behind_pointer(text);
    }
    if (marked) options_.cursor = static_cast<int>(options_.texts.size());
    const Tick tick = tick_at(label);
    label_column_ = tick.rest.empty() ? column_ : column_of(text, tick.rest);
    add(without_tick(bare(tick.rest)), tick.ticked);
    options_.numbered = options_.numbered && options_.first == 1;
    return true;
  }

  // Text that two or more blanks separate from the name is its description.
  void add(std::string_view label, std::optional<bool> ticked) {
    const size_t gap = label.find("  ");
    options_.texts.emplace_back(label.substr(0, gap));
    options_.descriptions.emplace_back(gap == std::string_view::npos ? std::string_view()
                                                                     : bare(label.substr(gap)));
    options_.ticks.push_back(ticked);
  }

  // Among tick boxes a row without one is the button if it does not stand under a name: it is bold,
  // or the cursor is on it.
  bool take_button(int row) {
    const std::string_view text = rows_[row].text;
    const bool ticks = !options_.ticks.empty() && options_.ticks.front().has_value();
    const bool cursor = !pointer_of(text).empty();
    const bool bold = (rows_[row].first.attributes & term::kBold) != 0;
    if (!ticks || options_.button || content_column(text) >= static_cast<int>(label_column_)) {
      return false;
    }
    if (!cursor && !bold) return false;
    options_.button = OptionButton{.text = std::string(behind_pointer(text)),
                                   .above = options_.texts.size(),
                                   .cursor = cursor};
    return true;
  }

  // The row continues the row above it if it is drawn as that one ends; otherwise it begins the
  // description of the option.
  void take_more(int row) {
    if (options_.texts.empty()) return;
    std::string& name = options_.texts.back();
    std::string& description = options_.descriptions.back();
    const bool same_style = before_ == row - 1 && rows_[before_].last == rows_[row].first;
    std::string& text = description.empty() && same_style ? name : description;
    if (!text.empty()) text += ' ';
    text += bare(rows_[row].text);
  }

  // Options may have letters in place of numbers: "a) Yes", "b) No".
  void without_letters() {
    constexpr size_t kMark = 2;  // the letter and a bracket or dot
    for (size_t i = 0; i < options_.texts.size(); ++i) {
      const std::string& text = options_.texts[i];
      if (text.size() <= kMark + 1 || (text[1] != ')' && text[1] != '.') || text[kMark] != ' ')
        return;
      if ((text[0] | 0x20) != static_cast<char>('a' + i)) return;
    }
    for (std::string& text : options_.texts) text.erase(0, text.find_first_not_of(' ', kMark));
  }

  const Rows& rows_;
  const OptionRows& found_;
  size_t column_;            // of the numbers; without them, of the options
  size_t label_column_ = 0;  // of the last option's name
  int before_ = -1;          // the row before, without blank ones
  Options options_;
};

// The name in term::key_bytes() of a key that an agent calls "shift+Tab", "ctrl+g" or "Esc"; "" for
// other words.
std::string key_named(std::string_view drawn) {
  std::string word(drawn);
  for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (word == "enter" || word == "tab" || word == "space") {
    word[0] = static_cast<char>(word[0] - 'a' + 'A');
    return word;
  }
  if (word == "esc") return "Escape";
  if (word == "shift+tab") return "BTab";
  constexpr std::string_view kControl = "ctrl+";
  const bool control = word.starts_with(kControl) && word.size() == kControl.size() + 1;
  return control ? "C-" + word.substr(kControl.size()) : "";
}

}  // namespace

bool is_key_name(std::string_view name) {
  return term::key_bytes(name, term::CursorKeys::kNormal).has_value();
}

OptionRows find_stacked(const RuleSet& rules, const Rows& rows) {
  const RowRange numbered = find_numbered(rules, rows), listed = find_listed(rules, rows);
  const bool below = numbered.empty() || listed.begin >= numbered.end;
  if (!listed.empty() && below) return {listed, false};
  return {numbered, !numbered.empty()};
}

OptionRows find_beside(const Rows& rows) {
  const int used = rows.used();
  for (int row = used - 1; row >= std::max(0, used - kFooterRows); --row) {
    const bool may_hold_two = bare(rows[row].text).find("  ") != std::string_view::npos;
    if (may_hold_two && words_of(rows[row].text).size() >= 2) return {{row, row + 1}};
  }
  return {{used, used}};
}

Options read_stacked(const RuleSet& rules, const Rows& rows, const OptionRows& found) {
  if (found.rows.empty()) return {};
  if (found.numbered) {
    const std::string_view first = rows[found.rows.begin].text;
    if (!rows[found.rows.begin].bits.test(rules.menu_option)) return {};
    return StackReader(rows, found, number_column(first)).read();
  }
  int cursor = found.rows.begin;
  while (!rows[cursor].bits.test(rules.plain_cursor)) ++cursor;
  const auto column = static_cast<size_t>(listed_column(rows[cursor].text));
  return StackReader(rows, found, column).read();
}

bool has_cursor(const RuleSet& rules, const Rows& rows, RowRange range) {
  for (int row = range.begin; row < range.end; ++row) {
    const PatternBits& bits = rows[row].bits;
    if (bits.test(rules.menu_cursor) || !pointer_of(rows[row].text).empty()) return true;
  }
  return false;
}

Options read_beside(const Rows& rows, int row, const term::Screen* screen) {
  Options options;
  for (const std::string_view word : words_of(rows[row].text)) options.texts.emplace_back(word);
  options.descriptions.resize(options.texts.size());
  options.ticks.resize(options.texts.size());
  if (screen != nullptr) options.cursor = highlighted(*screen, row, rows);
  return options;
}

Options read_keys(const Rows& rows, RowRange range) {
  constexpr std::string_view kBetween = " · ", kTo = " to ";
  Options options;
  const std::string text = joined(rows, range);
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find(kBetween), rest.size());
    const std::string_view part = rest.substr(0, end);
    std::string key = key_named(part.substr(0, part.find(kTo)));
    if (key.empty()) return {};
    options.keys.push_back(std::move(key));
    options.texts.emplace_back(part);
    rest.remove_prefix(std::min(end + kBetween.size(), rest.size()));
  }
  options.descriptions.resize(options.texts.size());
  options.ticks.resize(options.texts.size());
  return options;
}

OptionRows find_keys(const Rows& rows) {
  const int used = rows.used();
  RowRange range{used, used};
  while (range.begin > 0 && !rows[range.begin - 1].blank) --range.begin;
  if (range.empty()) return {range};
  constexpr size_t kLongestKey = 10;  // most screens end with other rows: nothing is joined there
  const std::string_view first = bare(rows[range.begin].text);
  const size_t key = first.find(" to ");
  if (key > kLongestKey || key_named(first.substr(0, key)).empty()) return {{used, used}};
  return read_keys(rows, range).texts.size() < 2 ? OptionRows{{used, used}} : OptionRows{range};
}

namespace {

// The rows as one line that wrapped at the right edge, where a blank is not drawn.
std::string unwrapped(const Rows& rows, RowRange range) {
  std::string text;
  for (int row = range.begin; row < range.end; ++row) {
    text += rows[row].text;
    const size_t missing = static_cast<size_t>(rows.columns()) - columns(rows[row].text);
    if (row + 1 < range.end && missing > 0) text += ' ';
  }
  return text;
}

// Where "(Y)es/(N)o [Yes]:" begins, a list of answers at the end of a text; npos without one.
size_t letters_begin(std::string_view text) {
  text = text.substr(0, text.find_last_not_of(' ') + 1);
  if (!text.ends_with("]:")) return std::string_view::npos;
  return text.find(" (Y)es/(N)o");
}

}  // namespace

namespace {

// "> Continue (tab)": the words, and the key that the brackets name; no key if they name none.
struct Hinted {
  std::string_view words;
  std::string key;
  bool cursor = false;
};
Hinted hinted_at(std::string_view row) {
  std::string_view text = bare(row);
  const size_t open = text.rfind(" (");
  if (open == std::string_view::npos || !text.ends_with(')')) return {};
  const std::string_view name = text.substr(open + 2, text.size() - open - 3);
  Hinted hinted{.words = text.substr(0, open), .key = key_named(name), .cursor = false};
  if (hinted.words.starts_with("> ")) {
    hinted.cursor = true;
    hinted.words = bare(hinted.words.substr(2));
  }
  return hinted;
}

}  // namespace

OptionRows find_hinted(const Rows& rows) {
  const int used = rows.used();
  int end = used;
  const int first = std::max(0, used - kFooterRows);
  while (end > first && hinted_at(rows[end - 1].text).key.empty()) --end;
  int begin = end;
  while (begin > 0 && !hinted_at(rows[begin - 1].text).key.empty()) --begin;
  return end > first && end - begin >= 2 ? OptionRows{{begin, end}} : OptionRows{{used, used}};
}

Options read_hinted(const Rows& rows, RowRange range) {
  Options options;
  for (int row = range.begin; row < range.end; ++row) {
    const Hinted hinted = hinted_at(rows[row].text);
    if (hinted.cursor) options.cursor = row - range.begin;
    options.texts.emplace_back(hinted.words);
    options.keys.push_back(hinted.key);
  }
  options.descriptions.resize(options.texts.size());
  options.ticks.resize(options.texts.size());
  return options;
}

OptionRows find_letters(const Rows& rows) {
  constexpr int kMostRows = 4;
  const int used = rows.used();
  for (int row = used - 1; row >= std::max(0, used - kMostRows) && !rows[row].blank; --row) {
    if (letters_begin(unwrapped(rows, {row, used})) != std::string_view::npos) return {{row, used}};
  }
  return {{used, used}};
}

Letters read_letters(const Rows& rows, RowRange range) {
  const std::string text = unwrapped(rows, range);
  const size_t begin = letters_begin(text);
  if (begin == std::string_view::npos) return {};
  Letters letters{.question = std::string(bare(text.substr(0, begin))), .options = {}};
  Options& options = letters.options;
  std::string_view rest = std::string_view(text).substr(begin + 1);
  rest = rest.substr(0, rest.rfind(" ["));
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('/'), rest.size());
    const std::string_view word = rest.substr(0, end);
    constexpr size_t kLetter = 3;  // "(Y)"
    if (word.size() < kLetter || word[0] != '(' || word[2] != ')') return {};
    options.texts.push_back(std::string(1, word[1]).append(word.substr(kLetter)));
    options.keys.push_back(std::string(1, word[1]) + " Enter");
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  options.descriptions.resize(options.texts.size());
  options.ticks.resize(options.texts.size());
  return letters;
}

OptionRows OptionFinder::find(OptionForm form) {
  std::optional<OptionRows>& found = found_[static_cast<size_t>(form)];
  if (found) return *found;
  switch (form) {
    case OptionForm::kStacked:
      found = find_stacked(rules_, rows_);
      break;
    case OptionForm::kBeside:
      found = find_beside(rows_);
      break;
    case OptionForm::kKeys:
      found = find_keys(rows_);
      break;
    case OptionForm::kHinted:
      found = find_hinted(rows_);
      break;
    case OptionForm::kLetters:
      found = find_letters(rows_);
      break;
  }
  return *found;
}

}  // namespace orch::detect
