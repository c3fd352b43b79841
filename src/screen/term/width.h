#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace orch::term {

struct CodeRange {
  char32_t first = 0, last = 0;  // both inclusive
};

// Sorted and disjoint ranges, made from Unicode 14 (EastAsianWidth W and F; general categories Mn,
// Me and Cf, and the Hangul vowels and finals). The planes and blocks that are set aside for CJK
// and pictographs are included as a whole, so that characters of later versions have the right
// width already.
std::span<const CodeRange> wide_ranges();
std::span<const CodeRange> zero_width_ranges();

// Whether the emoji `code_point` goes into the cells of the wide character to its left, with the
// contents `left` so far: after a joiner, or as a skin tone. Agents count these sequences as one
// character of two cells, and newer terminals draw them that way.
bool joins_emoji(std::u32string_view left, char32_t code_point);

inline bool is_skin_tone(char32_t c) { return c >= 0x1F3FB && c <= 0x1F3FF; }

class WidthTable {
 public:
  static const WidthTable& instance();  // built at the first use, 128 KB

  // How many cells a character takes: 0 (combining marks, joiners, controls), 1 or 2. East Asian
  // ambiguous characters take one; so does U+00AD, as in xterm.
  int width(char32_t code_point) const {
    return code_point < kTableSize ? widths_[code_point] : width_above(code_point);
  }

 private:
  static constexpr char32_t kTableSize = 0x20000;
  WidthTable();
  static int width_above(char32_t code_point);

  uint8_t widths_[kTableSize];
};

}  // namespace orch::term
