#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "term/sequence.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace orch::term {

// Plain control sequences - nothing but digits and semicolons between "ESC [" (and perhaps a
// prefix) and the final byte, at most 31 bytes of them, at most four digits each - are nearly all
// there are, and are read at once. All others, and those near the end of the input, go byte by byte
// through the table of transitions.h.
inline constexpr int kPlainWindow = 32;

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

// The mask of those of the kPlainWindow bytes at `at` that `test` picks from 16 of them.
template <class Test>
uint32_t map_window(const char* at, Test test) {
  const auto half = [&](const char* bytes) {
    const __m128i picked = test(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)));
    return static_cast<uint32_t>(_mm_movemask_epi8(picked));
  };
  return half(at) | half(at + 16) << 16;
}

// The offset of the first byte from 0x40 to 0x7F at `at`, or kPlainWindow.
inline int find_final(const char* at) {
  return std::countr_zero(
      map_window(at, [](__m128i bytes) { return _mm_cmpgt_epi8(bytes, _mm_set1_epi8(0x3F)); }));
}

inline uint32_t map_digits(const char* at) {
  return map_window(at, [](__m128i bytes) {
    const __m128i from_zero = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
    return _mm_cmpeq_epi8(_mm_min_epu8(from_zero, _mm_set1_epi8(9)), from_zero);
  });
}

// The bytes of a sequence's fields, zeros behind them, to be compared at once.
class FieldBytes {
 public:
  FieldBytes() = default;
  // `length` < kPlainWindow; kPlainWindow bytes must be readable.
  FieldBytes(const char* fields, int length) {
    alignas(16) static constexpr auto kOnes = [] {
      std::array<uint8_t, 2 * kPlainWindow> bytes{};
      for (size_t i = 0; i < kPlainWindow; ++i) bytes[i] = 0xFF;
      return bytes;
    }();
    const uint8_t* const mask = kOnes.data() + kPlainWindow - length;
    low_ = _mm_and_si128(load(fields), load(mask));
    high_ = _mm_and_si128(load(fields + 16), load(mask + 16));
  }

  bool operator==(const FieldBytes& other) const {
    const __m128i same =
        _mm_and_si128(_mm_cmpeq_epi8(low_, other.low_), _mm_cmpeq_epi8(high_, other.high_));
    return _mm_movemask_epi8(same) == 0xFFFF;
  }

  size_t hash() const {
    const __m128i folded = _mm_xor_si128(low_, _mm_slli_epi16(high_, 1));
    const __m128i both =
        _mm_xor_si128(folded, _mm_slli_epi16(_mm_unpackhi_epi64(folded, folded), 2));
    return (static_cast<uint64_t>(_mm_cvtsi128_si64(both)) * 0x9E3779B97F4A7C15ULL) >> 40;
  }

 private:
  static __m128i load(const void* bytes) {
    return _mm_loadu_si128(static_cast<const __m128i*>(bytes));
  }
  __m128i low_ = _mm_setzero_si128();
  __m128i high_ = _mm_setzero_si128();
};

#else

inline int find_final(const char* at) {
  int i = 0;
  while (i < kPlainWindow && at[i] < 0x40) ++i;
  return i;
}

inline uint32_t map_digits(const char* at) {
  uint32_t digits = 0;
  for (int i = 0; i < kPlainWindow; ++i) {
    if (at[i] >= '0' && at[i] <= '9') digits |= 1U << i;
  }
  return digits;
}

class FieldBytes {
 public:
  FieldBytes() = default;
  FieldBytes(const char* fields, int length) {
    std::memcpy(bytes_.data(), fields, static_cast<size_t>(length));
  }
  bool operator==(const FieldBytes&) const = default;
  size_t hash() const {
    uint64_t hash = 0;
    for (const char byte : bytes_) hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001B3ULL;
    return hash >> 20;
  }

 private:
  std::array<char, kPlainWindow> bytes_{};
};

#endif

// Sets final, count and params (and no colons) from a plain sequence whose fields are the `length`
// bytes at `at`, the final byte behind them; false when it is no such sequence. kPlainWindow + 3
// bytes must be readable.
inline bool read_fields(const char* at, int length, ControlSequence& out) {
  uint8_t count = 0;
  int start = 0;
  for (uint32_t others = ~map_digits(at);; others &= others - 1) {
    const int field_end = std::countr_zero(others);
    if (field_end - start > 4) return false;
    out.params[count++] = read_digits(at + start, field_end - start);
    if (field_end == length) break;
    if (at[field_end] != ';') return false;
    start = field_end + 1;
  }
  out.final = at[length];
  out.count = length == 0 ? uint8_t{0} : count;
  out.colons = 0;
  return true;
}

}  // namespace orch::term
