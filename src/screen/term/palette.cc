#include "term/palette.h"

#include <array>

namespace orch::term {
namespace {

constexpr std::array<Rgb, 16> kPalette{0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x1E66F5, 0xCD00CD,
                                       0x00CDCD, 0xE5E5E5, 0x7F7F7F, 0xFF5555, 0x55FF55, 0xFFFF55,
                                       0x6C8CFF, 0xFF55FF, 0x55FFFF, 0xFFFFFF};

}  // namespace

Rgb palette_color(uint8_t index) {
  if (index < kPalette.size()) return kPalette[index];
  if (index >= 232) return (8U + 10U * (index - 232U)) * 0x010101;
  const auto step = [](Rgb n) { return n == 0 ? 0 : 55 + 40 * n; };
  const Rgb n = index - 16U;
  return step(n / 36) << 16 | step(n / 6 % 6) << 8 | step(n % 6);
}

}  // namespace orch::term
