#include "detect/dialog.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/text.h"

namespace orch::detect {
namespace {

constexpr int kFooterRows = 6;  // rows at the end among which answers in one row are looked for

// Without the tick behind an option that was just chosen.
std::string_view without_tick(std::string_view text) {
  for (const std::string_view tick : {"✔", "✓"}) {
    if (text.ends_with(tick)) return bare(text.substr(0, text.size() - tick.size()));
  }
  return text;
}

// "❯ 1. Yes" → "Yes".
std::string option_text(std::string_view row) {
  std::string_view text = without_tick(bare(row));
  const size_t digit = text.find_first_of("0123456789");
  if (digit == std::string_view::npos) return std::string(text);
  text.remove_prefix(digit);
  const size_t end = text.find_first_of(".)");
  if (end != std::string_view::npos) text.remove_prefix(end + 1);
  return std::string(bare(text));
}

// The number of a choice; 0 when it has more than two digits.
int number_of(std::string_view row) {
  const size_t digit = row.find_first_of("0123456789");
  int number = 0;
  for (size_t i = digit; i < row.size() && row[i] >= '0' && row[i] <= '9'; ++i) {
    if (i - digit == 2) return 0;
    number = number * 10 + (row[i] - '0');
  }
  return number;
}

// The numbered choices. Rows that stand directly under one and further in than its number are part
// of it: text that wraps, or a description.
void read_options(const RuleSet& rules, const Rows& rows, const Layout& layout,
                  DialogView& dialog) {
  constexpr size_t kNone = std::string_view::npos;
  size_t number_column = kNone;  // of the choice that may still go on
  for (int row = layout.choices.begin; row < layout.used; ++row) {
    const std::string_view text = rows[row].text;
    if (rows[row].bits.test(rules.menu_option)) {
      if (rows[row].bits.test(rules.menu_cursor)) {
        dialog.cursor = static_cast<int>(dialog.options.size());
      }
      dialog.options.push_back(option_text(text));
      dialog.numbered =
          dialog.numbered && number_of(text) == static_cast<int>(dialog.options.size());
      number_column = column_of(text, text.substr(text.find_first_of("0123456789")));
      continue;
    }
    const std::string_view words = bare(text);
    if (!words.empty() && number_column != kNone && column_of(text, words) > number_column) {
      dialog.options.back().append(" ").append(words);
    } else {
      number_column = kNone;
    }
  }
}

// What names a key and no answer: "⇆ select", "ctrl+f fullscreen", "enter confirm".
bool names_key(std::string_view words) {
  constexpr std::array<std::string_view, 12> kKeys{
      "ctrl+", "enter ", "esc ", "tab ", "space ", "shift+", "alt+", "⇆", "↑", "↓", "←", "? for "};
  return std::any_of(kKeys.begin(), kKeys.end(),
                     [words](std::string_view key) { return words.starts_with(key); });
}

// Words set apart by two or more blanks: "Allow once   Allow always   Reject". Those that name keys
// follow at the end.
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

// The last row of at least two answers; nothing without one.
std::optional<int> answer_row(const Rows& rows, const Layout& layout) {
  if (!layout.choices.empty()) return std::nullopt;
  for (int row = layout.used - 1; row >= std::max(0, layout.used - kFooterRows); --row) {
    if (words_of(rows[row].text).size() >= 2) return row;
  }
  return std::nullopt;
}

bool has_bar(std::string_view row) {
  row = row.substr(std::min(row.find_first_not_of(' '), row.size()));
  return row.starts_with("┃");
}

// "╌╌╌╌": a rule inside of a dialog.
bool is_dashed(std::string_view row) {
  return is_rule(row) && row.find("╌") != std::string_view::npos &&
         row.find("─") == std::string_view::npos;
}

bool is_boundary(std::string_view row) {
  row = row.substr(std::min(row.find_first_not_of(' '), row.size()));
  return is_rule(row) && !is_dashed(row) && !row.starts_with("│") && !row.starts_with("┃");
}

// The dialog's first row. Beside a bar it reaches as far as the bar does; a dashed rule does not
// end it: what is to be decided stands between two of them.
int first_row(const Rows& rows, const Layout& layout, int choices, bool* whole) {
  int top = layout.dialog.begin;
  if (choices < layout.used && has_bar(rows[choices].text)) {
    top = choices;
    while (top > 0 && has_bar(rows[top - 1].text)) --top;
    *whole = top > 0;
    return top;
  }
  if (top > 0 && is_dashed(rows[top - 1].text)) {
    int above = top - 1;
    while (above > 0 && !is_boundary(rows[above - 1].text)) --above;
    if (above > 0) top = above;
  }
  *whole = top > 0 && is_boundary(rows[top - 1].text);
  return top;
}

int widest(const Rows& rows) {
  size_t width = 0;
  for (int row = 0; row < rows.used(); ++row) {
    const std::string_view text = rows[row].text;
    width = std::max(width, column_of(text, text.substr(text.size())));
  }
  return static_cast<int>(width);
}

// The row without blanks and frames, but with a "|" at its edge: it may be a command's.
std::string_view unframed(std::string_view row) {
  const std::string_view core = bare(row);
  if (core.empty()) return core;
  const auto begin = static_cast<size_t>(core.data() - row.data());
  const size_t before = row.substr(0, begin).find_last_not_of(' ');
  const size_t after = row.find_first_not_of(' ', begin + core.size());
  const size_t from = before != std::string_view::npos && row[before] == '|' ? before : begin;
  const bool ends = after != std::string_view::npos && row[after] == '|';
  return row.substr(from, (ends ? after + 1 : begin + core.size()) - from);
}

// Is the row still as it was read?
bool is_current(const term::Screen& screen, const Rows& rows, int row) {
  std::string text;
  if (row < screen.size().rows) screen.append_row_text(row, text);
  return text == rows[row].text;
}

// Is `part`, of the row's text, drawn in a colour of its own?
bool is_tinted(const term::Screen& screen, const Rows& rows, int row, std::string_view part) {
  const term::RowView view = screen.row(row);
  const size_t column = column_of(rows[row].text, part);
  if (!is_current(screen, rows, row) || column >= view.styles.size()) return false;
  return screen.style(view.styles[column]).fg.kind != term::Color::Kind::kDefault;
}

// `screen` may be null.
void read_text(const Rows& rows, RowRange range, const term::Screen* screen, DialogView& dialog) {
  int lines = 0;  // of the body
  for (int row = range.begin; row < range.end; ++row) {
    const std::string_view text = unframed(rows[row].text);
    if (text.empty() || is_rule(text)) continue;
    if (dialog.title.empty()) {
      dialog.title = text;
      continue;
    }
    if (!dialog.body.empty()) dialog.body += '\n';
    dialog.body += text;
    if (screen != nullptr && is_tinted(*screen, rows, row, text)) dialog.tinted.push_back(lines);
    ++lines;
  }
}

// Choices without numbers: a row each, the cursor's glyph before one.
void read_plain_options(const RuleSet& rules, const Rows& rows, const Layout& layout,
                        DialogView& dialog) {
  for (int row = layout.choices.begin; row < layout.choices.end; ++row) {
    std::string_view text = bare(rows[row].text);
    if (rows[row].bits.test(rules.plain_cursor)) {
      dialog.cursor = static_cast<int>(dialog.options.size());
      text.remove_prefix(base::decode_utf8(text).length);
    }
    dialog.options.emplace_back(without_tick(bare(text)));
  }
}

// The index of the one answer in a row that is drawn on another ground than most of the row; -1
// when none is or several are.
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

// `screen` may be null.
DialogView read(const RuleSet& rules, const Rows& rows, const Layout& layout,
                const term::Screen* screen) {
  DialogView dialog;
  int first = layout.choices.begin;
  dialog.numbered = layout.numbered;
  if (layout.numbered) {
    read_options(rules, rows, layout, dialog);
  } else if (!layout.choices.empty()) {
    read_plain_options(rules, rows, layout, dialog);
  } else if (const std::optional<int> row = answer_row(rows, layout)) {
    for (const std::string_view word : words_of(rows[*row].text)) dialog.options.emplace_back(word);
    dialog.beside = true;
    if (screen != nullptr) dialog.cursor = highlighted(*screen, *row, rows);
    first = *row;
  } else {
    first = layout.used;
  }
  read_text(rows, {first_row(rows, layout, first, &dialog.whole), first}, screen, dialog);
  dialog.width = widest(rows);
  return dialog;
}

}  // namespace

DialogView read_dialog(const RuleSet& rules, const Rows& rows, const Layout& layout) {
  return read(rules, rows, layout, nullptr);
}

DialogView read_dialog(const RuleSet& rules, const Rows& rows, const Layout& layout,
                       const term::Screen& screen) {
  return read(rules, rows, layout, &screen);
}

std::string describe(const DialogView& dialog) {
  std::string out = dialog.title;
  const auto add = [&out](std::string_view line) {
    if (!out.empty()) out += '\n';
    out += line;
  };
  if (!dialog.body.empty()) add(dialog.body);
  for (size_t i = 0; i < dialog.options.size(); ++i) {
    const char* mark = static_cast<int>(i) == dialog.cursor ? "> " : "  ";
    add(mark + (dialog.numbered ? std::to_string(i + 1) + ". " : "") + dialog.options[i]);
  }
  return out;
}

}  // namespace orch::detect
