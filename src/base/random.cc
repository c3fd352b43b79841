#include "base/random.h"

#include <unistd.h>

#include <array>

#include "base/check.h"

namespace orch::base {

std::string random_hex() {
  std::array<unsigned char, 16> bytes{};
  ORCH_CHECK(::getentropy(bytes.data(), bytes.size()) == 0);  // fails only for more than 256 bytes
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 0xF];
  }
  return text;
}

}  // namespace orch::base
