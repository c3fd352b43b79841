#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "term/block.h"
#include "term/simd/avx2.h"

namespace orch::term {

// Finds the stop of a piece that begins at some position of a Block: for text (0x20 to 0x7E) the
// first other byte, for a control sequence the final byte after its fields (0x30 to 0x3F), or the
// byte in its place. A Kernels' Stops object is made for one Block, from its begin() to its end().
// StopBits is storage for StopsAvx2.
using StopBits = std::array<uint64_t, Block::kBytes / 64 + 2>;

struct StopsPortable {
  StopsPortable(const char* /*begin*/, const char* /*end*/, StopBits& /*bits*/) {}

  const char* operator()(const char* at) const {
    if (*at == 0x1B) {
      for (at += 2; *at >= 0x30 && *at <= 0x3F;) ++at;
    } else {
      while (*at >= 0x20 && *at != 0x7F) ++at;
    }
    return at;
  }
};

#if defined(__x86_64__)

// Finds all stops of a Block before the Block is parsed, 64 bytes at a time, so that going from one
// to the next is quick. One addition finds the ends of all control sequences: its carry runs
// through the fields of each sequence, and on into the next 64 bytes.
//
//    bytes               a   b  ESC  [   3   1   ;   4   m   d   7   CR ESC  [   H   e
//    fields                              1   1   1   1           1
//    first, behind ESC [                 1                                       1
//    fields + first                                      1       1               1
//    no field of these                                   1                       1
//    no text                     1                                   1   1
//    stops                       1                       1           1   1       1
class StopsAvx2 {
 public:
  // `begin` is a multiple of 8; `bits` must outlive this object.
  ORCH_AVX2 StopsAvx2(const char* begin, const char* end, StopBits& bits)
      : bits_(reinterpret_cast<const char*>(bits.data()) - reinterpret_cast<uintptr_t>(begin) / 8) {
    mark(begin, end, bits);
  }

  // A sequence with more than 54 field bytes may seem to stop where its fields begin.
  ORCH_AVX2 const char* operator()(const char* at) const {
    const auto address = reinterpret_cast<uintptr_t>(at);
    uint64_t bits = 0;
    std::memcpy(&bits, bits_ + address / 8, sizeof bits);
    bits >>= address % 8;
    if (bits == 0) [[unlikely]]
      return *at == 0x1B ? at + 2 : behind_text(at);
    return at + 1 + _tzcnt_u64(bits);
  }

 private:
  static void mark(const char* begin, const char* end, StopBits& bits);
  static const char* behind_text(const char* at);

  const char* bits_;  // points to where the bits of address 0 would be; bit 0 stands for byte 1
};

#endif

}  // namespace orch::term
