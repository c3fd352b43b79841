#include "term/simd/scan.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>

namespace orch::term {
namespace {

TEST_CASE("the scan stops at C0 controls and DEL only") {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = std::string(40, 'x') + static_cast<char>(byte);
    const bool control = byte < 0x20 || byte == 0x7F;
    CHECK(scan_text(text.data(), text.data() + text.size()) == (control ? 40 : 41));
  }
}

TEST_CASE("the vectorised scan equals its scalar twin") {
  std::mt19937 random(7);
  std::string bytes(1 << 20, '\0');
  for (char& byte : bytes) {
    // Mostly text, so that there are runs of every length, up to several vectors.
    byte = random() % 48 == 0 ? static_cast<char>(random()) : static_cast<char>(random() | 0x20);
  }
  const char* const end = bytes.data() + bytes.size();
  for (const char* at = bytes.data(); at < end; at += 1 + random() % 40) {
    const char* stop = std::min(end, at + random() % 300);
    const size_t expected = scan_text_scalar(at, stop);
    REQUIRE(scan_text(at, stop) == expected);
    if (has_avx2()) REQUIRE(scan_text_avx2(at, stop) == expected);
  }
}

#ifdef __x86_64__
TEST_CASE("AVX2 is used where the compiler's own look at the processor finds it") {
  CHECK(has_avx2() == (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                       __builtin_cpu_supports("bmi2")));
}
#endif

}  // namespace
}  // namespace orch::term
