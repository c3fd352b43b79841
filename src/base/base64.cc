#include "base/base64.h"

#include <cstdint>

#include "base/ascii.h"

namespace orch::base {
namespace {

// The six bits of a character; -1 for one that is not in the alphabet.
int bits_of(char c) {
  constexpr int kSmall = 26, kDigits = 52, kPlus = 62, kSlash = 63;
  if (is_capital(c)) return c - 'A';
  if (is_small(c)) return c - 'a' + kSmall;
  if (is_digit(c)) return c - '0' + kDigits;
  if (c == '+') return kPlus;
  return c == '/' ? kSlash : -1;
}

}  // namespace

std::optional<std::string> base64_decoded(std::string_view text) {
  constexpr size_t kGroup = 4;
  if (text.size() % kGroup != 0) return std::nullopt;
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) text.remove_suffix(1);
  std::string bytes;
  bytes.reserve(text.size() / kGroup * 3 + 2);
  uint32_t held = 0;
  int count = 0;
  for (const char c : text) {
    const int bits = bits_of(c);
    if (bits < 0) return std::nullopt;
    held = held << 6 | static_cast<uint32_t>(bits);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(held >> count & 0xff);
  }
  return bytes;
}

}  // namespace orch::base
