#include "demo/input_box.h"

#include <algorithm>

#include "fmt/core.h"

namespace orch::demo {
namespace {

// The prompt and a no-break space, as Claude Code draws it; an earlier user message has a plain
// space instead.
constexpr std::string_view kPrompt = "»\u00a0";
constexpr int kGutter = 2;

}  // namespace

void InputBox::type(std::string_view text) {
  if (pieces_.empty() || !pieces_.back().placeholder.empty()) pieces_.emplace_back();
  pieces_.back().text += text;
}

void InputBox::paste(std::string text) {
  if (text.empty()) return;
  const auto breaks = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  if (breaks < kPlaceholderLines) return type(text);
  std::string placeholder = fmt::format("[Pasted text #{} +{} lines]", ++pastes_, breaks);
  pieces_.push_back({std::move(text), std::move(placeholder)});
}

void InputBox::backspace() {
  if (pieces_.empty()) return;
  Piece& last = pieces_.back();
  if (last.placeholder.empty()) {
    size_t cut = last.text.size() - 1;
    while (cut > 0 && (static_cast<unsigned char>(last.text[cut]) & 0xC0U) == 0x80U) --cut;
    last.text.resize(cut);
  }
  if (!last.placeholder.empty() || last.text.empty()) pieces_.pop_back();
}

std::string InputBox::take() {
  std::string message;
  for (const Piece& piece : pieces_) message += piece.text;
  pieces_.clear();
  return message;
}

std::vector<Line> InputBox::lines(int width, size_t max_rows, Position* cursor) const {
  std::string draft;
  for (const Piece& piece : pieces_) {
    draft += piece.placeholder.empty() ? drawable(piece.text) : piece.placeholder;
  }
  std::vector<std::string> rows;
  // One column stays free for the cursor.
  const int room = std::max(width - kGutter - 1, 1);
  for (size_t begin = 0; begin <= draft.size();) {
    const size_t end = std::min(draft.find('\n', begin), draft.size());
    for (std::string& row :
         wrap_columns(std::string_view(draft).substr(begin, end - begin), room)) {
      rows.push_back(std::move(row));
    }
    begin = end + 1;
  }
  const size_t hidden = rows.size() - std::min(rows.size(), std::max<size_t>(max_rows, 1));
  std::vector<Line> lines{rule(width, Ink::kDim)};
  for (size_t i = hidden; i < rows.size(); ++i) {
    lines.push_back({{Ink::kAccent, std::string(i == 0 ? kPrompt : "  ")}, {Ink::kPlain, rows[i]}});
  }
  lines.back().push_back({Ink::kCursor, " "});
  *cursor = {lines.size() - 1, kGutter + columns_of(rows.back())};
  lines.push_back(rule(width, Ink::kDim));
  return lines;
}

Line rule(int width, Ink ink) {
  std::string text;
  for (int i = 0; i < width; ++i) text += "─";
  return {{ink, text}};
}

}  // namespace orch::demo
