#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "term/sequence.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace orch::term {

// Reads the parameters and the final byte of a plain control sequence at once: at most 31 bytes of
// digits and semicolons, parameters of at most four digits. `at` follows "ESC [" and, if there is
// one, the prefix. Sets final, count, colons and params; returns where the sequence ends, or
// nullptr for every other sequence and near the end of the input: those go byte by byte through the
// table.
inline const char* read_plain_sequence(const char* at, const char* end, ControlSequence& out);

// The value of a field of up to four digits. The four bytes at `digits` must be readable.
inline uint16_t read_digits(const char* digits, int length) {
  uint32_t word = 0;
  std::memcpy(&word, digits, sizeof word);
  // The digits move to the top, first digit lowest; what shifts in below counts as zeros.
  word = static_cast<uint32_t>(static_cast<uint64_t>(word) << (32 - 8 * length)) & 0x0F0F0F0F;
  word = ((word * 2561) >> 8) & 0x00FF00FF;               // 10 a + b, 10 c + d
  return static_cast<uint16_t>((word * 6553601U) >> 16);  // 100 (10 a + b) + 10 c + d
}

#if defined(__SSE2__)

// Bit i: byte i of the 32 at `at` is not a digit.
inline uint32_t map_others(const char* at) {
  const auto digits = [](const char* half) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(half));
    const __m128i from_zero = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
    const __m128i digit = _mm_cmpeq_epi8(_mm_min_epu8(from_zero, _mm_set1_epi8(9)), from_zero);
    return static_cast<uint32_t>(_mm_movemask_epi8(digit));
  };
  return ~(digits(at) | digits(at + 16) << 16);
}

inline const char* read_plain_sequence(const char* at, const char* end, ControlSequence& out) {
  constexpr int kWindow = 32, kFieldLoad = 4;
  if (end - at < kWindow + kFieldLoad) return nullptr;
  int start = 0;
  uint8_t count = 0;
  for (uint32_t others = map_others(at); others != 0; others &= others - 1) {
    const int field_end = std::countr_zero(others);
    const int length = field_end - start;
    const char after = at[field_end];
    if (length > kFieldLoad) return nullptr;
    out.params[count] = read_digits(at + start, length);
    if (after != ';') {
      if (after < 0x40 || after > 0x7E) return nullptr;
      out.count = field_end == 0 ? uint8_t{0} : static_cast<uint8_t>(count + 1);
      out.colons = 0;
      out.final = after;
      return at + field_end + 1;
    }
    ++count;
    start = field_end + 1;
  }
  return nullptr;
}

#else

inline const char* read_plain_sequence(const char*, const char*, ControlSequence&) {
  return nullptr;
}

#endif

}  // namespace orch::term
