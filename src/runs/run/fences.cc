#include "run/fences.h"

#include <algorithm>

#include "base/text.h"

namespace orch::run {
namespace {

constexpr size_t kTab = 4;
constexpr size_t kCode = 4;        // text that is indented by this many more columns is code
constexpr size_t kMostDigits = 9;  // digits in the number of a list item

// The width of the blanks at the beginning of a text that begins in this column, in columns.
size_t indent_of(std::string_view text, size_t column = 0) {
  const size_t begin = column;
  for (const char c : text) {
    if (c != ' ' && c != '\t') break;
    column += c == '\t' ? kTab - column % kTab : 1;
  }
  return column - begin;
}

// The length of the list item's mark at the beginning of the text ("-", "12."); 0 without one.
size_t item_mark(std::string_view text) {
  size_t length = std::min(text.find_first_not_of("0123456789"), text.size());
  if (length > kMostDigits || length == text.size()) return 0;
  const std::string_view marks = length > 0 ? ".)" : "-*+";
  if (marks.find(text[length]) == std::string_view::npos) return 0;
  ++length;
  return length == text.size() || text[length] == ' ' || text[length] == '\t' ? length : 0;
}

// The length of the fence at the beginning of the text; 0 without one.
size_t fence_length(std::string_view text) {
  if (text.empty() || (text.front() != '`' && text.front() != '~')) return 0;
  const size_t length = std::min(text.find_first_not_of(text.front()), text.size());
  return length < 3 ? 0 : length;
}

}  // namespace

bool begins_list_item(std::string_view line) { return item_mark(line) > 0; }

void Fences::on_line(std::string_view line) {
  std::string_view text = base::trim(line);
  if (text.empty()) return;
  size_t indent = indent_of(line);
  if (open() && indent >= item_) {
    if (closes(text, indent)) length_ = 0;
    return;
  }
  length_ = 0;
  while (!items_.empty() && items_.back() > indent) items_.pop_back();
  for (;;) {
    if (indent >= (items_.empty() ? 0 : items_.back()) + kCode) return;
    const size_t mark = item_mark(text);
    if (mark == 0) break;
    text.remove_prefix(mark);
    const size_t blanks = indent_of(text, indent + mark);
    indent += mark + (blanks > kCode ? 1 : blanks);
    items_.push_back(indent);
    text = base::trim(text);
    if (text.empty() || blanks > kCode) return;
  }
  begin(text);
}

bool Fences::closes(std::string_view text, size_t indent) const {
  const size_t length = fence_length(text);
  return length >= length_ && text.front() == mark_ && length == text.size() &&
         indent < item_ + kCode;
}

void Fences::begin(std::string_view text) {
  const size_t length = fence_length(text);
  if (length == 0) return;
  if (text.front() == '`' && text.find('`', length) != std::string_view::npos) return;
  mark_ = text.front();
  length_ = length;
  item_ = items_.empty() ? 0 : items_.back();
}

}  // namespace orch::run
