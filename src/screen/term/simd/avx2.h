#pragma once

#if defined(__x86_64__)
#include <immintrin.h>

// Functions that may use AVX2 and BMI. They may be called only if has_avx2(), and be inlined only
// into functions with the same attribute.
#define ORCH_AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))

namespace orch::term {

ORCH_AVX2 inline __m256i load(const void* at) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(at));
}
ORCH_AVX2 inline __m128i load_half(const void* at) {
  return _mm_loadu_si128(static_cast<const __m128i*>(at));
}
ORCH_AVX2 inline __m128i load_quarter(const void* at) {
  return _mm_loadl_epi64(static_cast<const __m128i*>(at));
}
ORCH_AVX2 inline void store(void* at, __m256i bytes) {
  _mm256_storeu_si256(static_cast<__m256i*>(at), bytes);
}
ORCH_AVX2 inline void store_half(void* at, __m128i bytes) {
  _mm_storeu_si128(static_cast<__m128i*>(at), bytes);
}
ORCH_AVX2 inline void store_quarter(void* at, __m128i bytes) {
  _mm_storel_epi64(static_cast<__m128i*>(at), bytes);
}

}  // namespace orch::term

#endif
