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

struct FieldMap {
  uint32_t others = 0;  // bit i: byte i is not a digit
  uint32_t finals = 0;  // bit i: byte i is 0x40 or above
  uint32_t semicolons = 0;
};

inline FieldMap map_fields(const char* at) {
  FieldMap map;
  for (int half = 0; half < 2; ++half) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 16 * half));
    const __m128i from_zero = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
    const __m128i digit = _mm_cmpeq_epi8(_mm_min_epu8(from_zero, _mm_set1_epi8(9)), from_zero);
    const __m128i final = _mm_cmpeq_epi8(_mm_max_epu8(bytes, _mm_set1_epi8(0x40)), bytes);
    const __m128i semicolon = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(';'));
    const auto bits = [half](__m128i mask) {
      return static_cast<uint32_t>(_mm_movemask_epi8(mask)) << (16 * half);
    };
    map.others |= bits(digit) ^ (0xFFFFU << (16 * half));
    map.finals |= bits(final);
    map.semicolons |= bits(semicolon);
  }
  return map;
}

inline const char* read_plain_sequence(const char* at, const char* end, ControlSequence& out) {
  constexpr int kWindow = 32, kFieldLoad = 4;
  if (end - at < kWindow + kFieldLoad) return nullptr;
  const FieldMap map = map_fields(at);
  if (map.finals == 0) return nullptr;
  const int final_at = std::countr_zero(map.finals);
  const uint32_t before = (1U << final_at) - 1;
  const auto final = static_cast<uint8_t>(at[final_at]);
  if (final > 0x7E || (map.others & before) != (map.semicolons & before)) return nullptr;
  uint32_t field_ends = final_at == 0 ? 0 : (map.others & before) | (1U << final_at);
  int start = 0;
  uint8_t count = 0;
  while (field_ends != 0) {
    const int field_end = std::countr_zero(field_ends);
    if (field_end - start > 4) return nullptr;
    out.params[count++] = read_digits(at + start, field_end - start);
    start = field_end + 1;
    field_ends &= field_ends - 1;
  }
  out.count = count;
  out.colons = 0;
  out.final = static_cast<char>(final);
  return at + final_at + 1;
}

#else

inline const char* read_plain_sequence(const char*, const char*, ControlSequence&) {
  return nullptr;
}

#endif

}  // namespace orch::term
