#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "term/cell.h"
#include "term/intern_table.h"

namespace orch::term {

inline constexpr uint32_t kMaxStyles = 65536;  // what a StyleId can tell apart

// A Style as three words. The cursor's pen is kept so: SGR changes whole words, and looking one up
// reads what was just written without waiting for it.
struct Pen {
  uint32_t fg = 0, bg = 0;
  uint32_t attributes = 0;
  bool operator==(const Pen&) const = default;

  Style style() const {
    return {std::bit_cast<Color>(fg), std::bit_cast<Color>(bg), static_cast<uint16_t>(attributes)};
  }
  // What erasing leaves: only the background (bce).
  Pen background() const { return {0, bg, 0}; }
};
static_assert(std::bit_cast<uint32_t>(Color{}) == 0);

struct PenHash {
  size_t operator()(const Pen& pen) const {
    // Multiplicative hashing with the golden ratio and two other odd numbers; the top half is mixed
    // best.
    const uint64_t mixed = pen.fg * 0x9E3779B97F4A7C15ULL + pen.bg * 0xC2B2AE3D27D4EB4FULL +
                           pen.attributes * 0x165667B19E3779F9ULL;
    return static_cast<size_t>(mixed >> 32);
  }
};

using StyleTable = InternTable<Pen, PenHash>;

}  // namespace orch::term
