#pragma once

#include <cstdint>

namespace orch::term {

// A colour as the application named it: the default, one of the 256 palette entries, or 24 bits.
struct Color {
  enum class Kind : uint8_t { kDefault, kIndexed, kRgb };
  Kind kind = Kind::kDefault;
  uint8_t r = 0, g = 0, b = 0;  // kIndexed: the index in r
  bool operator==(const Color&) const = default;
};

enum Attribute : uint16_t {
  kBold = 1 << 0,
  kFaint = 1 << 1,
  kItalic = 1 << 2,
  kUnderline = 1 << 3,
  kBlink = 1 << 4,
  kInverse = 1 << 5,
  kHidden = 1 << 6,
  kStrike = 1 << 7,
};

// How a cell is drawn (SGR). Screens intern styles: a cell holds a StyleId, 0 is the default style.
struct Style {
  Color fg, bg;
  uint16_t attributes = 0;
  bool operator==(const Style&) const = default;
};
using StyleId = uint16_t;

// The contents of a cell: a code point; 0 for a blank that was never written to or was erased;
// kWideTail for the right half of a wide character; or, from kClusterBase on, an index into the
// screen's table of clusters (a base character with its combining marks).
using CellCode = uint32_t;
inline constexpr CellCode kBlank = 0;
inline constexpr CellCode kWideTail = 0xFFFFFFFF;
inline constexpr CellCode kClusterBase = 0x110000;

}  // namespace orch::term
