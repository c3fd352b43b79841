#include "term/style_table.h"

#include <cstdint>
#include <cstring>

namespace orch::term {

size_t StyleHash::operator()(const Style& style) const {
  static_assert(sizeof(Color) == 4);
  uint32_t fg = 0, bg = 0;
  std::memcpy(&fg, &style.fg, sizeof fg);
  std::memcpy(&bg, &style.bg, sizeof bg);
  // Fibonacci hashing; the top half of the product is well mixed.
  const uint64_t key = (static_cast<uint64_t>(fg) << 32 | bg) + style.attributes * 0x100000001B3ULL;
  return static_cast<size_t>((key * 0x9E3779B97F4A7C15ULL) >> 32);
}

}  // namespace orch::term
