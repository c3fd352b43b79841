#include "demo/dialog.h"

#include <algorithm>

#include "demo/input_box.h"
#include "fmt/core.h"

namespace orch::demo {
namespace {

void add_paragraph(std::vector<Line>& lines, Ink ink, std::string_view indent,
                   std::string_view text, int width) {
  const int room = std::max(width - columns_of(indent), 1);
  for (const std::string& row : wrap_words(text, room)) {
    lines.push_back({{Ink::kPlain, std::string(indent)}, {ink, row}});
  }
}

}  // namespace

Dialog::Step Dialog::on_key(const Key& key) {
  switch (key.kind) {
    case Key::Kind::kText:
      for (const char c : key.text) {
        const size_t option = static_cast<size_t>(c - '1');
        if (c < '1' || option >= text_->options.size()) continue;
        selected_ = option;
        return Step::kChosen;
      }
      return Step::kOpen;
    case Key::Kind::kUp:
      selected_ = (selected_ + text_->options.size() - 1) % text_->options.size();
      return Step::kOpen;
    case Key::Kind::kDown:
      selected_ = (selected_ + 1) % text_->options.size();
      return Step::kOpen;
    case Key::Kind::kEnter:
      return Step::kChosen;
    case Key::Kind::kEscape:
    case Key::Kind::kInterrupt:
      return Step::kCancelled;
    case Key::Kind::kPaste:
    case Key::Kind::kNewline:
    case Key::Kind::kBackspace:
    case Key::Kind::kClear:
    case Key::Kind::kEndOfInput:
    case Key::Kind::kFramesKnown:
      return Step::kOpen;
  }
  return Step::kOpen;
}

std::vector<Line> Dialog::lines(int width, Position* cursor) const {
  std::vector<Line> lines{rule(width, Ink::kDialog)};
  add_paragraph(lines, Ink::kDialog, " ", text_->title, width);
  lines.emplace_back();
  if (!text_->body.empty()) {
    add_paragraph(lines, Ink::kPlain, "   ", text_->body, width);
    lines.emplace_back();
  }
  add_paragraph(lines, Ink::kBold, " ", text_->question, width);
  for (size_t i = 0; i < text_->options.size(); ++i) {
    const bool marked = i == selected_;
    if (marked) *cursor = {lines.size(), 1};
    lines.push_back(
        {{Ink::kDialog, marked ? " ❯ " : "   "},
         {marked ? Ink::kDialog : Ink::kPlain, fmt::format("{}. {}", i + 1, text_->options[i])}});
  }
  lines.emplace_back();
  add_paragraph(lines, Ink::kDim, " ", "Enter to confirm · Esc to cancel", width);
  return lines;
}

}  // namespace orch::demo
