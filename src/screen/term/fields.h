#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "term/sequence.h"

namespace orch::term {

// Nearly all control sequences are plain: between "ESC [" (and perhaps a question mark) and the
// final byte there are only digits and semicolons, less than kMaxFieldBytes of them, with at most
// four digits in a row. Their fields are read eight bytes at a time. All other sequences, and one
// that the end of the input cuts, go byte by byte through the table of transitions.h.
inline constexpr size_t kMaxFieldBytes = 32;

static_assert(std::endian::native == std::endian::little);
inline uint64_t load_eight(const char* at) {
  uint64_t bytes = 0;
  std::memcpy(&bytes, at, sizeof bytes);
  return bytes;
}

// The first `length` <= 4 bytes of a word, moved to its top; zeros below them.
inline uint32_t leading(uint64_t bytes, size_t length) {
  return static_cast<uint32_t>((bytes & 0xFFFFFFFF) << (32 - 8 * length));
}

// The value of up to four digits at the top of a word with zeros below.
inline uint16_t read_digits(uint32_t word) {
  word &= 0x0F0F0F0F;
  word = ((word * 2561) >> 8) & 0x00FF00FF;               // 10 a + b, 10 c + d
  return static_cast<uint16_t>((word * 6553601U) >> 16);  // 100 (10 a + b) + 10 c + d
}

struct TwoValues {
  uint32_t first, second;
};
// The same for two words at once, the first in the lower half.
inline TwoValues read_two(uint64_t words) {
  words &= 0x0F0F0F0F0F0F0F0F;
  words = ((words * 2561) >> 8) & 0x00FF00FF00FF00FF;
  words = ((words * 6553601U) >> 16) & 0x0000FFFF0000FFFF;
  return {static_cast<uint32_t>(words), static_cast<uint32_t>(words >> 32)};
}

// Nonzero exactly in the bytes that are not digits. All eight bytes must be from 0x30 to 0x3F.
inline uint64_t find_others(uint64_t bytes) {
  return (bytes << 1 | bytes << 2) & bytes & 0x0808080808080808;
}

// The number of digits at the beginning of the first `length` of eight bytes.
inline size_t field_length(uint64_t bytes, size_t length) {
  const auto digits = static_cast<size_t>(std::countr_zero(find_others(bytes)) / 8);
  return std::min(digits, length);
}

// The value of at most four bytes if all of them are digits; otherwise negative.
inline int read_field(const char* at, size_t length) {
  if (length > 4) return -1;
  const uint32_t word = leading(load_eight(at), length);
  return find_others(word) == 0 ? read_digits(word) : -1;
}

// Fills in final, count, params and colons (none) from a plain sequence. Its fields are the
// `length` bytes from 0x30 to 0x3F at `at`, followed by the final byte. Returns false for any other
// sequence.
inline bool read_fields(const char* at, size_t length, ControlSequence& out) {
  const char* const end = at + length;
  if (length >= kMaxFieldBytes || *end < 0x40 || *end == 0x7F) return false;
  uint8_t count = 0;
  while (true) {
    const uint64_t bytes = load_eight(at);
    const auto left = static_cast<size_t>(end - at);
    const size_t digits = field_length(bytes, left);
    if (digits > 4) return false;
    out.params[count++] = read_digits(leading(bytes, digits));
    if (digits == left) break;
    if (at[digits] != ';') return false;
    at += digits + 1;
  }
  out.final = *end;
  out.count = length == 0 ? uint8_t{0} : count;
  out.colons = 0;
  return true;
}

}  // namespace orch::term
