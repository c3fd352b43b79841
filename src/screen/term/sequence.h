#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace orch::term {

// A control sequence: CSI, a private prefix (one of < = > ? or 0), parameters, an intermediate (0
// for none), a final byte. A parameter that is left out is 0. Parameters beyond kMaxParams are
// dropped and values are clamped to kMaxValue, so a sequence of any length fits.
struct ControlSequence {
  static constexpr int kMaxParams = 32;
  static constexpr uint16_t kMaxValue = 65535;

  char prefix = 0;
  char intermediate = 0;
  char final = 0;
  uint8_t count = 0;
  // Bit i is set if parameter i follows a colon, so it is a subparameter of the one before
  uint32_t colons = 0;
  std::array<uint16_t, kMaxParams> params{};

  // Parameter i, or `fallback` if it is 0 or absent, which mean the same in nearly all sequences.
  int at(int i, int fallback) const {
    return i < count && params[static_cast<std::size_t>(i)] != 0
               ? params[static_cast<std::size_t>(i)]
               : fallback;
  }
  bool is_sub(int i) const { return i < count && ((colons >> i) & 1U) != 0; }
};

// How an OSC string ended; a reply to it ends in the same way.
enum class StringEnd : uint8_t { kBell, kStringTerminator };

}  // namespace orch::term
