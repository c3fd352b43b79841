#pragma once

#include "term/kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

// Functions that may use AVX2 and BMI; to be called only where has_avx2(), and inlined only into
// others of the kind.
#define ORCH_AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))

namespace orch::term {

// Portable's twin: the same answers.
struct Avx2 {
  using Key = Portable::Key;

  ORCH_AVX2 static size_t text_length(const char* at) {
    size_t length = 0;
    uint32_t others = outside(kText, at);
    while (others == 0) others = outside(kText, at + (length += 32));
    return length + _tzcnt_u32(others);
  }

  ORCH_AVX2 static size_t fields_length(const char* at) { return _tzcnt_u32(outside(kFields, at)); }

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
    const __m128i folded = _mm_xor_si128(half, _mm_slli_epi64(_mm_unpackhi_epi64(half, half), 1));
    return static_cast<uint64_t>(_mm_cvtsi128_si64(folded)) * 0x9E3779B97F4A7C15ULL;
  }

  ORCH_AVX2 static void write(const char* bytes, size_t count, StyleId style, CellCode* codes,
                              StyleId* styles) {
    const __m128i fill = _mm_set1_epi16(static_cast<int16_t>(style));
    for (; count >= kCells; count -= kCells, bytes += kCells, codes += kCells, styles += kCells) {
      store(codes, widened(bytes));
      store_half(styles, fill);
    }
    const __m128i kept = load_quarter(kKept.data() + kCells - count);
    store_half(styles, _mm_blendv_epi8(fill, load_half(styles), _mm_cvtepi8_epi16(kept)));
    store(codes, _mm256_blendv_epi8(widened(bytes), load(codes), _mm256_cvtepi8_epi32(kept)));
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
    const __m128i fill = _mm_set1_epi16(static_cast<int16_t>(style));
    const size_t last = count - kCells;
    for (size_t i = 0; i < last; i += kCells) {
      store(codes + i, cells);
      store_half(styles + i, fill);
    }
    store(codes + last, cells);
    store_half(styles + last, fill);
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
  // From kCells - n on: n zeros, ones behind them.
  alignas(16) static constexpr std::array<uint8_t, 2 * kCells> kKept = [] {
    std::array<uint8_t, 2 * kCells> bytes{};
    for (size_t i = kCells; i < bytes.size(); ++i) bytes[i] = 0xFF;
    return bytes;
  }();

  // What to add to bytes so that those of a range are the lowest of the signed numbers, and the
  // highest of these then. Defined elsewhere: compilers that know constants build them anew each
  // time instead of loading them.
  struct alignas(32) Range {
    std::array<uint8_t, 32> move, highest;
  };
  static const Range kText, kFields;

  // The mask of the 32 bytes at `at` that are outside of the range.
  ORCH_AVX2 static uint32_t outside(const Range& range, const char* at) {
    const __m256i moved = _mm256_add_epi8(load(range.move.data()), load(at));
    return static_cast<uint32_t>(
        _mm256_movemask_epi8(_mm256_cmpgt_epi8(moved, load(range.highest.data()))));
  }

  ORCH_AVX2 static __m256i load(const void* at) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(at));
  }
  ORCH_AVX2 static void store(void* at, __m256i bytes) {
    _mm256_storeu_si256(static_cast<__m256i*>(at), bytes);
  }
  ORCH_AVX2 static __m128i load_half(const void* at) {
    return _mm_loadu_si128(static_cast<const __m128i*>(at));
  }
  ORCH_AVX2 static void store_half(void* at, __m128i bytes) {
    _mm_storeu_si128(static_cast<__m128i*>(at), bytes);
  }
  ORCH_AVX2 static __m128i load_quarter(const void* at) {
    return _mm_loadl_epi64(static_cast<const __m128i*>(at));
  }
  // ASCII as cells.
  ORCH_AVX2 static __m256i widened(const char* bytes) {
    return _mm256_cvtepu8_epi32(load_quarter(bytes));
  }
};

}  // namespace orch::term

#endif
