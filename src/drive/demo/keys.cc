#include "demo/keys.h"

#include <algorithm>

#include "base/text.h"

namespace orch::demo {
namespace {

constexpr char kEsc = '\x1b';
constexpr std::string_view kPasteBegin = "\x1b[200~";
constexpr std::string_view kPasteEnd = "\x1b[201~";
// No terminal's answer is longer; a longer sequence is dropped.
constexpr size_t kMaxSequence = 256;

std::optional<Key::Kind> control_key(char c) {
  switch (c) {
    case '\r':
      return Key::Kind::kEnter;
    case '\n':
      return Key::Kind::kNewline;
    case '\x03':
      return Key::Kind::kInterrupt;
    case '\x04':
      return Key::Kind::kEndOfInput;
    case '\x15':
      return Key::Kind::kClear;
    case '\x08':
    case '\x7f':
      return Key::Kind::kBackspace;
    default:
      return std::nullopt;
  }
}

bool is_text(char c) { return (static_cast<unsigned char>(c) >= 0x20 && c != '\x7f') || c == '\t'; }

std::string with_line_feeds(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      out += text[i];
    } else if (i + 1 == text.size() || text[i + 1] != '\n') {
      out += '\n';
    }
  }
  return out;
}

}  // namespace

std::vector<Key> KeyReader::read(std::string_view bytes, int64_t now_ms) {
  std::vector<Key> keys;
  pending_ += bytes;
  pending_since_ms_ = now_ms;
  size_t used = 0;
  while (!pending_.empty() && (used = take_one(keys)) > 0) pending_.erase(0, used);
  return keys;
}

std::optional<int64_t> KeyReader::deadline() const {
  if (paste_ || pending_.empty() || pending_.front() != kEsc) return std::nullopt;
  return pending_since_ms_ + kEscapeMs;
}

std::vector<Key> KeyReader::expire(int64_t now_ms) {
  std::vector<Key> keys;
  if (const auto due = deadline(); !due || now_ms < *due) return keys;
  const std::string rest = pending_.substr(1);
  pending_.clear();
  keys.push_back({Key::Kind::kEscape, {}});
  for (Key& key : read(rest, now_ms)) keys.push_back(std::move(key));
  return keys;
}

size_t KeyReader::take_one(std::vector<Key>& keys) {
  if (paste_) return take_paste(keys);
  const char first = pending_.front();
  if (first == kEsc) return take_escape(keys);
  if (const auto kind = control_key(first)) {
    keys.push_back({*kind, {}});
    return 1;
  }
  return is_text(first) ? take_text(keys) : 1;
}

size_t KeyReader::take_paste(std::vector<Key>& keys) {
  const size_t end = pending_.find(kPasteEnd);
  if (end != std::string::npos) {
    paste_->append(pending_, 0, end);
    keys.push_back({Key::Kind::kPaste, with_line_feeds(base::to_valid_utf8(*paste_))});
    paste_.reset();
    return end + kPasteEnd.size();
  }
  // The last bytes may be the beginning of the end mark.
  const size_t sure = pending_.size() - std::min(pending_.size(), kPasteEnd.size() - 1);
  paste_->append(pending_, 0, sure);
  return sure;
}

size_t KeyReader::take_escape(std::vector<Key>& keys) {
  if (pending_.size() < 2) return 0;
  switch (pending_[1]) {
    case '[':
      return take_csi(keys);
    case 'O': {  // SS3: cursor keys in application mode
      if (pending_.size() < 3) return 0;
      if (pending_[2] == 'A') keys.push_back({Key::Kind::kUp, {}});
      if (pending_[2] == 'B') keys.push_back({Key::Kind::kDown, {}});
      return 3;
    }
    case 'P':
    case ']':
    case '_':
    case '^': {  // DCS, OSC, APC, PM: answers of the terminal, up to BEL or ST
      const size_t end = pending_.find_first_of("\a\x1b", 2);
      if (end == std::string::npos) return pending_.size() > kMaxSequence ? pending_.size() : 0;
      if (pending_[end] == '\a') return end + 1;
      if (end + 1 == pending_.size()) return 0;
      return pending_[end + 1] == '\\' ? end + 2 : end;
    }
    case '\r':
      keys.push_back({Key::Kind::kNewline, {}});
      return 2;
    default:  // not a sequence: the Esc key, and something after it
      keys.push_back({Key::Kind::kEscape, {}});
      return 1;
  }
}

size_t KeyReader::take_csi(std::vector<Key>& keys) {
  size_t end = 2;
  while (end < pending_.size() && pending_[end] >= 0x20 && pending_[end] < 0x40) ++end;
  if (end == pending_.size()) return end > kMaxSequence ? end : 0;
  const std::string_view sequence(pending_.data(), end + 1);
  if (sequence == kPasteBegin) paste_.emplace();
  if (sequence == "\x1b[A") keys.push_back({Key::Kind::kUp, {}});
  if (sequence == "\x1b[B") keys.push_back({Key::Kind::kDown, {}});
  // DECRPM: 1 is set, 2 reset, 3 permanently set; with 0 and 4 the terminal has no synchronized
  // frames.
  for (const std::string_view answer : {"\x1b[?2026;1$y", "\x1b[?2026;2$y", "\x1b[?2026;3$y"}) {
    if (sequence == answer) keys.push_back({Key::Kind::kFramesKnown, {}});
  }
  return sequence.size();
}

size_t KeyReader::take_text(std::vector<Key>& keys) {
  size_t end = 0;
  while (end < pending_.size() && is_text(pending_[end])) ++end;
  if (end == pending_.size()) end -= base::incomplete_utf8_tail(pending_);
  if (end > 0) {
    keys.push_back(
        {Key::Kind::kText, base::to_valid_utf8(std::string_view(pending_).substr(0, end))});
  }
  return end;
}

}  // namespace orch::demo
