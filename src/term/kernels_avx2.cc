#include "term/kernels_avx2.h"

#if defined(__x86_64__)

namespace orch::term {
namespace {

constexpr std::array<uint8_t, 32> repeated(int byte) {
  std::array<uint8_t, 32> bytes{};
  for (uint8_t& each : bytes) each = static_cast<uint8_t>(byte);
  return bytes;
}

}  // namespace

constinit const Avx2::Range Avx2::kText{repeated(0x80 - 0x20), repeated(0x80 + 0x7E - 0x20)};
constinit const Avx2::Range Avx2::kFields{repeated(0x80 - 0x30), repeated(0x80 + 0x3B - 0x30)};

}  // namespace orch::term

#endif
