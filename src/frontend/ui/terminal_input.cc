#include "ui/terminal_input.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/text.h"

namespace orch::ui {
namespace {

using Kind = TerminalInput::Kind;

constexpr std::string_view kPasteEnd = "\033[201~";

TerminalInput key(std::string_view name) { return {.kind = Kind::kKey, .text = std::string(name)}; }

std::string_view name_of_final(char final) {
  switch (final) {
    case 'A':
      return "Up";
    case 'B':
      return "Down";
    case 'C':
      return "Right";
    case 'D':
      return "Left";
    case 'H':
      return "Home";
    case 'F':
      return "End";
    case 'Z':
      return "BTab";
  }
  return "";
}

std::string_view name_of_number(int number) {
  switch (number) {
    case 1:
    case 7:
      return "Home";
    case 3:
      return "Delete";
    case 4:
    case 8:
      return "End";
    case 5:
      return "PageUp";
    case 6:
      return "PageDown";
  }
  return "";
}

std::string name_of_control(char c) {
  switch (c) {
    case '\r':
    case '\n':
      return "Enter";
    case '\t':
      return "Tab";
    case '\b':
    case '\x7f':
      return "Backspace";
  }
  if (c >= 1 && c <= 26) return std::string("C-") + static_cast<char>('a' + c - 1);
  return "";
}

// The numbers between the semicolons; a field that is not a number counts as 0.
std::array<int, 3> numbers_in(std::string_view parameters) {
  std::array<int, 3> numbers{};
  for (int& number : numbers) {
    const std::string_view field = base::take_until(parameters, ';');
    std::from_chars(field.data(), field.data() + field.size(), number);
  }
  return numbers;
}

// A mouse report in SGR's form: the button with its modifiers, column and row from 1; 'M' is a
// press.
std::optional<TerminalInput> mouse(std::string_view parameters, char final) {
  const auto [button, col, row] = numbers_in(parameters);
  TerminalInput input{.text = "", .row = row - 1, .col = col - 1};
  if (final != 'M') return std::nullopt;
  if (button == 0) input.kind = Kind::kClick;
  if (button == 64) input.kind = Kind::kWheelUp;
  if (button == 65) input.kind = Kind::kWheelDown;
  if (button != 0 && button != 64 && button != 65) return std::nullopt;
  return input;
}

}  // namespace

std::vector<TerminalInput> InputReader::feed(std::string_view bytes) {
  pending_ += bytes;
  std::vector<TerminalInput> out;
  while (!pending_.empty()) {
    const size_t taken = pasting_ ? take_paste(out) : take(out);
    if (taken == 0) break;
    pending_.erase(0, taken);
  }
  return out;
}

std::vector<TerminalInput> InputReader::flush() {
  std::vector<TerminalInput> out;
  if (!waits()) return out;
  if (pending_ == "\033") out.push_back(key("Escape"));
  pending_.clear();
  return out;
}

size_t InputReader::take(std::vector<TerminalInput>& out) {
  const char first = pending_.front();
  if (first == '\033') return take_escape(out);
  if (static_cast<unsigned char>(first) < 0x20 || first == '\x7f') {
    if (std::string name = name_of_control(first); !name.empty()) out.push_back(key(name));
    return 1;
  }
  if (base::incomplete_utf8_tail(pending_) == pending_.size()) return 0;
  const base::Decoded c = base::decode_utf8(pending_);
  std::string text = pending_.substr(0, c.length);
  if (!base::invalid_utf8_at(text) && base::printable(text) == text) {
    out.push_back({.kind = Kind::kText, .text = std::move(text)});
  }
  return c.length;
}

size_t InputReader::take_escape(std::vector<TerminalInput>& out) {
  if (pending_.size() == 1) return 0;
  if (pending_[1] == '\033') {
    out.push_back(key("Escape"));
    return 1;
  }
  if (pending_[1] != '[' && pending_[1] != 'O') return 2;  // Alt with a key means nothing here
  const auto final = std::find_if(pending_.begin() + 2, pending_.end(),
                                  [](char c) { return c >= 0x40 && c <= 0x7E; });
  const auto length = static_cast<size_t>(final - pending_.begin());
  if (final == pending_.end()) return length > kMaxSequenceBytes ? length : 0;
  take_sequence(std::string_view(pending_).substr(2, length - 2), *final, out);
  return length + 1;
}

void InputReader::take_sequence(std::string_view parameters, char final,
                                std::vector<TerminalInput>& out) {
  if (parameters.starts_with('<')) {
    if (const auto input = mouse(parameters.substr(1), final)) out.push_back(*input);
    return;
  }
  const int first = numbers_in(parameters).front();
  pasting_ = final == '~' && first == 200;
  const std::string_view name = final == '~' ? name_of_number(first) : name_of_final(final);
  if (!name.empty()) out.push_back(key(name));
}

// Drops the bytes beyond kMaxPasteBytes.
size_t InputReader::take_paste(std::vector<TerminalInput>& out) {
  const size_t end = pending_.find(kPasteEnd);
  const bool ends = end != std::string::npos;
  size_t taken = ends ? end : pending_.size() - std::min(pending_.size(), kPasteEnd.size() - 1);
  paste_.append(pending_, 0, std::min(taken, kMaxPasteBytes - paste_.size()));
  if (!ends) return taken;
  pasting_ = false;
  out.push_back({.kind = Kind::kPaste, .text = base::printable(std::exchange(paste_, {}))});
  return taken + kPasteEnd.size();
}

}  // namespace orch::ui
