#pragma once

#include "term/simd/avx2.h"
#include "term/simd/kernels.h"

#if defined(__x86_64__)

namespace orch::term {

// The variant of Portable with AVX2, which gives the same results.
struct Avx2 {
  using Key = Portable::Key;
  using Stops = StopsAvx2;

  ORCH_AVX2 static Key key(const char* fields, size_t length) {
    alignas(32) static constexpr auto kOnes = [] {
      std::array<uint8_t, 2 * Portable::kMaxFields> bytes{};
      for (size_t i = 0; i < Portable::kMaxFields; ++i) bytes[i] = 0xFF;
      return bytes;
    }();
    Key key;
    const __m256i mask = load(kOnes.data() + Portable::kMaxFields - length);
    store(key.bytes.data(), _mm256_and_si256(load(fields), mask));
    return key;
  }
  ORCH_AVX2 static bool same(const Key& a, const Key& b) {
    const __m256i equal = _mm256_cmpeq_epi8(load(a.bytes.data()), load(b.bytes.data()));
    return _mm256_movemask_epi8(equal) == -1;
  }
  ORCH_AVX2 static uint64_t hash(const Key& key) {
    const __m256i bytes = load(key.bytes.data());
    const __m128i half =
        _mm_xor_si128(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1));
    const __m128i folded = _mm_add_epi64(half, _mm_unpackhi_epi64(half, half));
    return static_cast<uint64_t>(_mm_cvtsi128_si64(folded)) * 0xFF51AFD7ED558CCDULL;
  }

  ORCH_AVX2 static bool position(const char* fields, size_t length, Place last, Place& place) {
    // Up to ten bytes are compared: "row;column" with four digits each has nine, and the final byte
    // follows
    const __m128i nines = _mm_set_epi64x(0x3939, 0x3939393939393939);
    const __m128i bytes = load_half(fields);
    const auto others = static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpgt_epi8(bytes, nines)));
    const uint32_t row_digits = _tzcnt_u32(others);
    const size_t col_digits = length - row_digits - 1;
    if (row_digits > 4 || col_digits > 4 || fields[row_digits] != ';' ||
        _tzcnt_u32(_blsr_u32(others)) != length) {
      return false;
    }
    const __m128i from = load_quarter(&kDigitsFrom[row_digits][col_digits]);
    const __m128i digits =
        _mm_and_si128(_mm_shuffle_epi8(bytes, from), _mm_set_epi64x(0, 0x0F0F0F0F0F0F0F0F));
    const __m128i tens = _mm_maddubs_epi16(digits, _mm_set1_epi16(0x010A));
    const __m128i from_1 = _mm_madd_epi16(tens, _mm_set1_epi32(0x00010064));
    const __m128i from_0 = _mm_subs_epu16(from_1, _mm_set_epi64x(0, 0x0000000100000001));
    store_quarter(&place, _mm_min_epi32(from_0, load_quarter(&last)));
    return true;
  }

  ORCH_AVX2 static void write(const char* bytes, size_t count, StyleId style, CellCode* codes,
                              StyleId* styles) {
    const __m128i fill = _mm_set1_epi16(static_cast<int16_t>(style));
    if (count < kCells) [[likely]] {
      const uint8_t* const kept = kKept.data() + kCells - count;
      store_half(styles,
                 _mm_blendv_epi8(fill, load_half(styles), _mm_cvtepi8_epi16(load_quarter(kept))));
      store(codes, _mm256_blendv_epi8(widened(bytes), load(codes),
                                      _mm256_cvtepi8_epi32(load_quarter(kept))));
      return;
    }
    const size_t last = count - kCells;
    for (size_t i = 0; i < last; i += kCells) {
      store(codes + i, widened(bytes + i));
      store_half(styles + i, fill);
    }
    store(codes + last, widened(bytes + last));
    store_half(styles + last, fill);
  }

  ORCH_AVX2 static void change(Pen& pen, const Pen& keep, const Pen& set) {
    store_half(&pen,
               _mm_or_si128(_mm_and_si128(load_half(&pen), load_half(&keep)), load_half(&set)));
  }

  [[gnu::noinline]] ORCH_AVX2 static void fill(CellCode code, size_t count, StyleId style,
                                               CellCode* codes, StyleId* styles) {
    if (count < kCells) {
      Portable::fill(code, count, style, codes, styles);
      return;
    }
    const __m256i cells = _mm256_set1_epi32(static_cast<int>(code));
    const __m256i fill = _mm256_set1_epi16(static_cast<int16_t>(style));
    for (; count >= 2 * kCells; count -= 2 * kCells) {
      store(codes, cells);
      store(codes + kCells, cells);
      store(styles, fill);
      codes += 2 * kCells;
      styles += 2 * kCells;
    }
    // If this is negative, cells of the block before are overwritten.
    const auto last = static_cast<std::ptrdiff_t>(count - kCells);
    const std::ptrdiff_t first = std::min<std::ptrdiff_t>(last, 0);
    store(codes + first, cells);
    store_half(styles + first, _mm256_castsi256_si128(fill));
    store(codes + last, cells);
    store_half(styles + last, _mm256_castsi256_si128(fill));
  }

  [[gnu::noinline]] ORCH_AVX2 static size_t repeating(const char* at, const char* end) {
    const auto most = static_cast<size_t>(end - at);
    size_t length = 0;
    while (length < most) {
      const __m256i equal = _mm256_cmpeq_epi8(load(at + length), load(at + length - 3));
      const auto others = ~static_cast<uint32_t>(_mm256_movemask_epi8(equal));
      length += _tzcnt_u32(others);
      if (others != 0) break;
    }
    return std::min(length, most);
  }

 private:
  static constexpr size_t kCells = 8;
  // From kCells - n on: n zeros, followed by ones.
  alignas(16) static constexpr std::array<uint8_t, 2 * kCells> kKept = [] {
    std::array<uint8_t, 2 * kCells> bytes{};
    for (size_t i = kCells; i < bytes.size(); ++i) bytes[i] = 0xFF;
    return bytes;
  }();

  // For each number of digits in row and column: the source bytes of the column's four digits and
  // the row's four digits.
  alignas(64) static constexpr auto kDigitsFrom = [] {
    std::array<std::array<std::array<uint8_t, 8>, 8>, 5> from{};
    for (size_t row = 0; row < 5; ++row) {
      for (size_t col = 0; col < 5; ++col) {
        for (size_t i = 0; i < 4; ++i) {
          from[row][col][i] = static_cast<uint8_t>(i + col < 4 ? 0x80 : row + 1 + i + col - 4);
          from[row][col][4 + i] = static_cast<uint8_t>(i + row < 4 ? 0x80 : i + row - 4);
        }
      }
    }
    return from;
  }();

  // Widens eight bytes of ASCII to cells.
  ORCH_AVX2 static __m256i widened(const char* bytes) {
    return _mm256_cvtepu8_epi32(load_quarter(bytes));
  }
};

}  // namespace orch::term

#endif
