#pragma once

#include <cstdint>

namespace orch::term {

using Rgb = uint32_t;  // 0xRRGGBB

// One of the 256 colours: the first 16 as xterm has them, from 16 to 231 a cube of six steps, then
// 24 greys.
Rgb palette_color(uint8_t index);

}  // namespace orch::term
