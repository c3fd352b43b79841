#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace orch::term {

// How far text goes: the offset of the first byte in [begin, end) that is a C0 control or DEL, or
// the length when there is none. The variants give the same answer; scan_text takes the fastest
// this machine can run.
size_t scan_text_scalar(const char* begin, const char* end);
size_t scan_text_avx2(const char* begin, const char* end);  // only where has_avx2()
bool has_avx2();
size_t scan_text(const char* begin, const char* end);

// How many bytes at `begin` are printable ASCII (0x20 to 0x7E). Most runs are shorter than a
// vector, so this one is inline and uses no more than every machine of the architecture has.
inline size_t scan_ascii_scalar(const char* begin, const char* end) {
  const char* at = begin;
  while (at != end && *at >= 0x20 && *at != 0x7F) ++at;
  return static_cast<size_t>(at - begin);
}

inline size_t scan_ascii(const char* begin, const char* end) {
  const char* at = begin;
#if defined(__SSE2__)
  for (; end - at >= 16; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i below = _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20));  // signed: from 0x80 on too
    const __m128i others = _mm_or_si128(below, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(0x7F)));
    const auto mask = static_cast<uint32_t>(_mm_movemask_epi8(others));
    if (mask != 0)
      return static_cast<size_t>(at - begin) + static_cast<size_t>(std::countr_zero(mask));
  }
#endif
  return static_cast<size_t>(at - begin) + scan_ascii_scalar(at, end);
}

}  // namespace orch::term
