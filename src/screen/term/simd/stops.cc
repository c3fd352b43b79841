#include "term/simd/stops.h"

#if defined(__x86_64__)

namespace orch::term {
namespace {

ORCH_AVX2 inline __m256i is(char byte, __m256i bytes) {
  return _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte));
}

// The bytes that are not text. After the addition DEL + 1 is the lowest signed number, and bytes
// from 0x80 on are below 0.
ORCH_AVX2 inline __m256i no_text(const char* at) {
  const __m256i above = _mm256_add_epi8(load(at), _mm256_set1_epi8(1));
  return _mm256_cmpgt_epi8(_mm256_set1_epi8(0x20 + 1), above);
}
ORCH_AVX2 inline __m256i field(const char* at) {
  return is(0x30, _mm256_and_si256(load(at), _mm256_set1_epi8(static_cast<char>(0xF0))));
}
ORCH_AVX2 inline __m256i first_field(const char* at) {
  return _mm256_and_si256(is(0x1B, load(at - 2)), is('[', load(at - 1)));
}

ORCH_AVX2 inline uint64_t mask(__m256i low, __m256i high) {
  return static_cast<uint32_t>(_mm256_movemask_epi8(low)) |
         static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(high))) << 32;
}

}  // namespace

ORCH_AVX2 void StopsAvx2::mark(const char* begin, const char* end, StopBits& bits) {
  auto word = bits.begin();
  unsigned char carry = 0;
  for (const char* at = begin + 1; at <= end; at += 64) {
    const uint64_t fields = mask(field(at), field(at + 32));
    const uint64_t first = mask(first_field(at), first_field(at + 32));
    unsigned long long sum = 0;
    carry = _addcarry_u64(carry, fields, first, &sum);
    *word++ = (sum & ~fields) | mask(no_text(at), no_text(at + 32));
  }
}

ORCH_AVX2 const char* StopsAvx2::behind_text(const char* at) {
  while (true) {
    const auto others = static_cast<uint32_t>(_mm256_movemask_epi8(no_text(at)));
    if (others != 0) return at + _tzcnt_u32(others);
    at += 32;
  }
}

}  // namespace orch::term

#endif
