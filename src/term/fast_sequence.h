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
// prefix) and the final byte, in at most kPlainWindow bytes - are nearly all there are, and are
// read at once. All others, and those near the end of the input, go byte by byte through the table
// of transitions.h.
inline constexpr int kPlainWindow = 32;

#if defined(__SSE2__)

// The offset of the final byte of the plain sequence whose fields begin at `at`, or -1 when it is
// no such sequence. kPlainWindow bytes must be readable.
inline int find_plain_final(const char* at) {
  const auto classify = [](const char* half, uint32_t& finals, uint32_t& fields) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(half));
    const __m128i from_zero = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
    const __m128i digit = _mm_cmpeq_epi8(_mm_min_epu8(from_zero, _mm_set1_epi8(9)), from_zero);
    const __m128i semicolon = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(';'));
    finals = static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpgt_epi8(bytes, _mm_set1_epi8(0x3F))));
    fields = static_cast<uint32_t>(_mm_movemask_epi8(_mm_or_si128(digit, semicolon)));
  };
  uint32_t finals = 0, fields = 0, more_finals = 0, more_fields = 0;
  classify(at, finals, fields);
  classify(at + 16, more_finals, more_fields);
  finals |= more_finals << 16;
  fields |= more_fields << 16;
  // The first byte that belongs to no field must be a final byte.
  const int first = std::countr_one(fields);
  const bool is_final = first < kPlainWindow && ((finals >> first) & 1U) != 0 && at[first] != 0x7F;
  return is_final ? first : -1;
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

inline int find_plain_final(const char* at) {
  for (int i = 0; i < kPlainWindow; ++i) {
    const bool field = (at[i] >= '0' && at[i] <= '9') || at[i] == ';';
    if (!field) return at[i] >= 0x40 && at[i] != 0x7F ? i : -1;
  }
  return -1;
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

// Sets count and params (and no colons) from `length` bytes of digits and semicolons.
inline void read_fields(const char* at, int length, ControlSequence& out) {
  out.colons = 0;
  out.count = 0;
  if (length == 0) return;
  uint32_t value = 0;
  for (int i = 0; i < length; ++i) {
    if (at[i] == ';') {
      out.params[out.count++] = static_cast<uint16_t>(value);
      value = 0;
    } else {
      value = value * 10 + static_cast<uint32_t>(at[i] - '0');
      if (value > ControlSequence::kMaxValue) value = ControlSequence::kMaxValue;
    }
  }
  out.params[out.count++] = static_cast<uint16_t>(value);
}

}  // namespace orch::term
