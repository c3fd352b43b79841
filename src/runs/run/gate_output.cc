#include "run/gate_output.h"

#include <algorithm>

#include "base/text.h"

namespace orch::run {
namespace {

constexpr char kEscapeByte = '\x1b';
constexpr char kBell = '\a';

// The bytes without the rest of a UTF-8 character whose beginning was cut off.
std::string_view from_character(std::string_view bytes) {
  size_t skipped = 0;
  while (skipped < bytes.size() && skipped < 3 &&
         (static_cast<unsigned char>(bytes[skipped]) & 0xC0U) == 0x80U) {
    ++skipped;
  }
  return bytes.substr(skipped);
}

}  // namespace

void GateOutput::feed(std::string_view bytes) {
  for (const char byte : bytes) take(byte);
}

void GateOutput::take(char byte) {
  switch (state_) {
    case State::kReturn:
      state_ = State::kText;
      keep('\n');
      if (byte == '\n') return;
      break;
    case State::kText:
      break;
    case State::kEscape:
      if (byte >= ' ' && byte <= '/') return;  // intermediate bytes
      state_ = State::kText;
      if (byte == '[') state_ = State::kControl;
      if (byte == ']' || byte == 'P' || byte == 'X' || byte == '^' || byte == '_') {
        state_ = State::kString;
      }
      if (byte != '\n' && byte != '\r' && byte != kEscapeByte) return;
      break;
    case State::kControl:
      if (byte >= ' ' && byte <= '?') return;
      state_ = State::kText;
      if (byte >= '@' && byte <= '~') return;
      break;
    case State::kString:
    case State::kStringEscape: {
      // A control string without an end must not hide the lines that follow.
      const bool ends = byte == kBell || byte == '\n';
      const bool ended = state_ == State::kStringEscape && byte == '\\';
      state_ = ends || ended         ? State::kText
               : byte == kEscapeByte ? State::kStringEscape
                                     : State::kString;
      if (byte != '\n') return;
      break;
    }
  }
  if (byte == kEscapeByte) {
    state_ = State::kEscape;
  } else if (byte == '\r') {
    state_ = State::kReturn;
  } else if (byte == '\n' || byte == '\t' || static_cast<unsigned char>(byte) >= ' ') {
    if (byte != '\x7f') keep(byte);
  }
}

void GateOutput::keep(char byte) {
  if (head_.size() < kHeadBytes) {
    head_ += byte;
    return;
  }
  tail_ += byte;
  if (tail_.size() < 2 * kTailBytes) return;
  left_out_ += tail_.size() - kTailBytes;
  tail_.erase(0, tail_.size() - kTailBytes);
}

std::string GateOutput::text() const {
  std::string_view end = tail_;
  size_t left_out = left_out_;
  if (end.size() > kTailBytes) {
    left_out += end.size() - kTailBytes;
    end.remove_prefix(end.size() - kTailBytes);
  }
  if (left_out == 0) return base::printable_lines(head_ + tail_);
  return base::printable_lines(head_) + "\n[" + std::to_string(left_out) +
         " bytes are left out here]\n" + base::printable_lines(from_character(end));
}

std::string GateOutput::tail() const {
  constexpr size_t kLookedAt = 2 * kToldBytes;  // more than is returned, to find where lines begin
  const std::string_view kept = tail_.empty() ? std::string_view(head_) : std::string_view(tail_);
  std::string all;
  if (!tail_.empty() && kept.size() < kLookedAt) {
    all = head_.substr(head_.size() - std::min(head_.size(), kLookedAt));
  }
  all += kept.substr(kept.size() - std::min(kept.size(), kLookedAt));
  const std::string text = base::printable_lines(from_character(base::trim(all)));
  std::string_view end = text;
  if (end.size() > kToldBytes) {
    end = from_character(end.substr(end.size() - kToldBytes));
    const size_t feed = end.find('\n');
    if (feed != std::string_view::npos) end.remove_prefix(feed + 1);
  }
  size_t begin = end.size();
  for (size_t lines = 0; lines < kToldLines && begin != std::string_view::npos && begin > 0;
       ++lines) {
    begin = end.rfind('\n', begin - 1);
  }
  if (begin != std::string_view::npos && begin > 0) end.remove_prefix(begin + 1);
  return std::string(end);
}

}  // namespace orch::run
