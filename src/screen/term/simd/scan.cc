#include "term/simd/scan.h"

#include <bit>
#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace orch::term {
namespace {

bool is_control(char c) {
  const auto byte = static_cast<uint8_t>(c);
  return byte < 0x20 || byte == 0x7F;
}

}  // namespace

size_t scan_text_scalar(const char* begin, const char* end) {
  const char* at = begin;
  while (at != end && !is_control(*at)) ++at;
  return static_cast<size_t>(at - begin);
}

#if defined(__x86_64__)

bool has_avx2() {
#ifdef __GLIBC__
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2");
#else  // zig's runtime lacks the table for that
  constexpr unsigned kVectorState = 0x6;  // of SSE and AVX; Intel's manual, XCR0
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_OSXSAVE) == 0) return false;
  unsigned kept = 0, high = 0;  // the states that the kernel keeps for each thread
  asm("xgetbv" : "=a"(kept), "=d"(high) : "c"(0));
  if ((kept & kVectorState) != kVectorState) return false;
  constexpr unsigned kAll = bit_AVX2 | bit_BMI | bit_BMI2;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & kAll) == kAll;
#endif
}

__attribute__((target("avx2"))) size_t scan_text_avx2(const char* begin, const char* end) {
  const __m256i last_c0 = _mm256_set1_epi8(0x1F);
  const __m256i del = _mm256_set1_epi8(0x7F);
  const char* at = begin;
  for (; end - at >= 32; at += 32) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    const __m256i c0 = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, last_c0), bytes);
    const __m256i controls = _mm256_or_si256(c0, _mm256_cmpeq_epi8(bytes, del));
    const auto mask = static_cast<uint32_t>(_mm256_movemask_epi8(controls));
    if (mask != 0)
      return static_cast<size_t>(at - begin) + static_cast<size_t>(std::countr_zero(mask));
  }
  return static_cast<size_t>(at - begin) + scan_text_scalar(at, end);
}

#else

bool has_avx2() { return false; }
size_t scan_text_avx2(const char* begin, const char* end) { return scan_text_scalar(begin, end); }

#endif

size_t scan_text(const char* begin, const char* end) {
  static const auto kScan = has_avx2() ? scan_text_avx2 : scan_text_scalar;
  return kScan(begin, end);
}

}  // namespace orch::term
