#pragma once

#include <bit>
#include <cstdint>
#include <utility>

#include "term/cell.h"

namespace orch::term {

// A Style as machine words, the form of the cursor's style: SGR changes whole words, and looking up
// a pen that was just written need not wait for smaller writes.
struct alignas(16) Pen {
  uint32_t fg = 0, bg = 0;
  uint32_t attributes = 0;
  uint32_t unused = 0;  // fills up four words, which are read and written as one

  bool operator==(const Pen& other) const {
    const auto [colors, rest] = words();
    const auto [other_colors, other_rest] = other.words();
    return ((colors ^ other_colors) | (rest ^ other_rest)) == 0;
  }

  Style style() const {
    return {std::bit_cast<Color>(fg), std::bit_cast<Color>(bg), static_cast<uint16_t>(attributes)};
  }
  // The style after erasing: only the background (bce).
  Pen background() const { return {0, bg, 0, 0}; }

  std::pair<uint64_t, uint64_t> words() const {
    return {fg | static_cast<uint64_t>(bg) << 32, attributes | static_cast<uint64_t>(unused) << 32};
  }
};
static_assert(std::bit_cast<uint32_t>(Color{}) == 0);

}  // namespace orch::term
