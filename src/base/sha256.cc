#include "base/sha256.h"

#include <array>
#include <bit>
#include <cstdint>

namespace orch::base {
namespace {

constexpr size_t kBlockBytes = 64;

// FIPS 180-4, 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64
// primes.
constexpr std::array<uint32_t, 64> kRound{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

using State = std::array<uint32_t, 8>;
// FIPS 180-4, 5.3.3: the same of the square roots of the first 8 primes.
constexpr State kInitial{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

// FIPS 180-4, 6.2.2.
void digest_block(State& state, std::string_view block) {
  std::array<uint32_t, 64> w{};
  for (size_t i = 0; i < 16; ++i) {
    for (size_t byte = 0; byte < 4; ++byte) {
      w[i] = (w[i] << 8) | static_cast<uint8_t>(block[(4 * i) + byte]);
    }
  }
  for (size_t i = 16; i < 64; ++i) {
    const uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (size_t i = 0; i < 64; ++i) {
    const uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const uint32_t choice = (e & f) ^ (~e & g);
    const uint32_t t1 = h + s1 + choice + kRound[i] + w[i];
    const uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + s0 + majority;
  }
  const State added{a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < state.size(); ++i) state[i] += added[i];
}

// FIPS 180-4, 5.1.1: the rest after the last whole block, a one bit, zeros, and the length in bits.
std::string last_blocks(std::string_view rest, uint64_t total_bytes) {
  std::string last(rest);
  last += '\x80';
  while (last.size() % kBlockBytes != kBlockBytes - sizeof total_bytes) last += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) {
    last += static_cast<char>((total_bytes * 8) >> shift);
  }
  return last;
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  State state = kInitial;
  std::string_view rest = bytes;
  for (; rest.size() >= kBlockBytes; rest.remove_prefix(kBlockBytes)) {
    digest_block(state, rest.substr(0, kBlockBytes));
  }
  const std::string last = last_blocks(rest, bytes.size());
  for (size_t i = 0; i < last.size(); i += kBlockBytes) {
    digest_block(state, std::string_view(last).substr(i, kBlockBytes));
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const uint32_t word : state) {
    for (int shift = 28; shift >= 0; shift -= 4) hex += kDigits[(word >> shift) & 0xF];
  }
  return hex;
}

}  // namespace orch::base
