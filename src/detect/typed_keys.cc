#include "detect/typed_keys.h"

#include <algorithm>
#include <string>

namespace orch::detect {
namespace {

constexpr char kEsc = '\x1b';
constexpr std::string_view kPasteBegin = "\x1b[200~", kPasteEnd = "\x1b[201~";

// The length of the control sequence or control string at the front of `bytes`, which begins with
// ESC.
size_t sequence_length(std::string_view bytes) {
  if (bytes.size() < 2) return bytes.size();
  const char kind = bytes[1];
  if (kind == '[') {
    size_t i = 2;
    while (i < bytes.size() && (bytes[i] < 0x40 || bytes[i] > 0x7E)) ++i;
    return i < bytes.size() ? i + 1 : i;
  }
  if (kind == ']' || kind == 'P' || kind == '_' || kind == '^' || kind == 'X') {
    for (size_t i = 2; i < bytes.size(); ++i) {
      if (bytes[i] == '\a') return i + 1;
      if (bytes[i] == kEsc && i + 1 < bytes.size() && bytes[i + 1] == '\\') return i + 2;
    }
    return bytes.size();
  }
  return kind == 'O' ? std::min<size_t>(3, bytes.size()) : 2;
}

// Whether the terminal itself sent the sequence: an answer to a query, a focus report or a mouse
// report. The sequences of keys end in other bytes (A to H, ~, Z, and u without '?').
bool is_report(std::string_view sequence) {
  const char kind = sequence.size() > 1 ? sequence[1] : '\0';
  if (kind == ']' || kind == 'P' || kind == '_' || kind == '^' || kind == 'X') return true;
  if (kind != '[' || sequence.size() < 3) return false;
  switch (sequence.back()) {
    case 'c':  // DA
    case 'n':  // DSR, colour scheme
    case 'y':  // DECRPM
    case 't':  // XTWINOPS
    case 'R':  // CPR
    case 'I':  // focus in
    case 'O':  // focus out
      return true;
    case 'u':  // kitty flags; a key has no '?'
      return sequence[2] == '?';
    case 'M':
    case 'm':
      return sequence[2] == '<';
    default:
      return false;
  }
}

// The meaning of an escape sequence. Enter, Escape and Ctrl-C come as sequences in the kitty
// keyboard protocol, which a terminal speaks once the agent has asked for it.
TypedKey key_of(std::string_view sequence) {
  if (is_report(sequence)) return TypedKey::kNothing;
  if (sequence == "\x1b[13u") return TypedKey::kEnter;
  if (sequence == "\x1b[27u") return TypedKey::kEscape;
  return sequence == "\x1b[99;5u" ? TypedKey::kInterrupt : TypedKey::kText;
}

}  // namespace

TypedKey read_typed(std::string_view bytes) {
  TypedKey last = TypedKey::kNothing;
  std::string text;
  while (!bytes.empty()) {
    if (bytes.starts_with(kPasteBegin)) {
      const size_t end = bytes.find(kPasteEnd);
      bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + kPasteEnd.size());
      last = TypedKey::kText;
      text += kPasteBegin;
      continue;
    }
    const char c = bytes.front();
    size_t length = 1;
    if (c == kEsc) {
      length = bytes.size() > 1 && bytes[1] != kEsc ? sequence_length(bytes) : 1;
      const TypedKey key = length == 1 ? TypedKey::kEscape : key_of(bytes.substr(0, length));
      if (key != TypedKey::kNothing) last = key;
      if (key == TypedKey::kText) text += kEsc;
    } else if (c == '\r') {
      last = TypedKey::kEnter;
    } else if (c == '\x03') {
      last = TypedKey::kInterrupt;
    } else {
      last = TypedKey::kText;
      text += c;
    }
    bytes.remove_prefix(length);
  }
  const bool choice = text.size() == 1 && (text[0] == 'y' || text[0] == 'n' || text[0] == 'Y' ||
                                           text[0] == 'N' || (text[0] >= '1' && text[0] <= '9'));
  return last == TypedKey::kText && choice ? TypedKey::kChoice : last;
}

}  // namespace orch::detect
