#include "detect/dialog.h"

#include <algorithm>

#include "base/text.h"

namespace orch::detect {
namespace {

constexpr int kFooterRows = 6;  // rows at the end among which answers in one row are looked for

// "❯ 1. Yes" → "Yes".
std::string option_text(std::string_view row) {
  std::string_view text = bare(row);
  const size_t digit = text.find_first_of("0123456789");
  if (digit == std::string_view::npos) return std::string(text);
  text.remove_prefix(digit);
  const size_t end = text.find_first_of(".)");
  if (end != std::string_view::npos) text.remove_prefix(end + 1);
  return std::string(bare(text));
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

// Words set apart by two or more blanks: "Allow once   Allow always   Reject".
std::vector<std::string> words_of(std::string_view row) {
  std::vector<std::string> words;
  std::string_view text = bare(row);
  while (!text.empty()) {
    const size_t gap = text.find("  ");
    words.emplace_back(bare(text.substr(0, gap)));
    if (gap == std::string_view::npos) break;
    text = bare(text.substr(gap));
  }
  return words;
}

void read_text(const Rows& rows, RowRange range, DialogView& dialog) {
  for (int row = range.begin; row < range.end; ++row) {
    const std::string_view text = bare(rows[row].text);
    if (text.empty() || is_rule(text)) continue;
    if (dialog.title.empty()) {
      dialog.title = text;
    } else {
      if (!dialog.body.empty()) dialog.body += '\n';
      dialog.body += text;
    }
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
    dialog.options.emplace_back(bare(text));
  }
}

}  // namespace

DialogView read_dialog(const RuleSet& rules, const Rows& rows, const Layout& layout) {
  DialogView dialog;
  int first = layout.choices.begin;
  dialog.numbered = layout.numbered;
  if (layout.numbered) {
    read_options(rules, rows, layout, dialog);
  } else if (!layout.choices.empty()) {
    read_plain_options(rules, rows, layout, dialog);
  } else {
    first = layout.used;
    for (int row = layout.used - 1; row >= std::max(0, layout.used - kFooterRows); --row) {
      std::vector<std::string> words = words_of(rows[row].text);
      if (words.size() < 2) continue;
      dialog.options = std::move(words);
      first = row;
      break;
    }
  }
  read_text(rows, {layout.dialog.begin, first}, dialog);
  return dialog;
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
