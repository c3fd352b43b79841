#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace orch::term {

struct CodeRange {
  char32_t first = 0, last = 0;  // both inclusive
};

// Sorted and disjoint, made from Unicode 14 (EastAsianWidth W and F; general categories Mn, Me, Cf
// and the Hangul vowels and finals) with the whole of the planes and blocks set aside for CJK and
// pictographs, so that what later versions assign there is right already.
std::span<const CodeRange> wide_ranges();
std::span<const CodeRange> zero_width_ranges();

// How many cells a character takes: 0 (combining, joiners, controls), 1 or 2. East Asian ambiguous
// characters take one, U+00AD too, as in xterm.
// Whether the emoji `code_point` goes into the cells of the wide character left of it, of which
// `left` is what stands there already: behind a joiner, or as its skin tone. Agents count such a
// sequence as one character of two cells, as newer terminals draw it.
bool joins_emoji(std::u32string_view left, char32_t code_point);

class WidthTable {
 public:
  static const WidthTable& instance();  // built at the first use, 128 KB

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
