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

// Characters of one column that are emoji of two columns with U+FE0F behind them.
std::span<const CodeRange> narrow_emoji_ranges();

// Several code points share a cell: a character with its marks, or an emoji sequence, which agents
// and newer terminals (mode 2027) count as one character of two columns. In the next two, `left`
// is the contents of a cell so far, and `code_point` comes next.

// Whether a code point that has columns of its own goes into the cell of an emoji instead: as a
// skin tone, behind a joiner, or as the second letter of a flag.
bool joins_emoji(std::u32string_view left, char32_t code_point);
// Whether it makes a cell of one column one of two: U+FE0F behind a character that is an emoji
// then, or a code point that joins_emoji().
bool widens(std::u32string_view left, char32_t code_point);
// The columns of a cell with these contents.
int columns_of_cell(std::u32string_view contents);

inline bool is_skin_tone(char32_t c) { return c >= 0x1F3FB && c <= 0x1F3FF; }

struct Character {
  std::string_view bytes;
  int columns = 0;  // 0: a mark without a character, or a control
};
// Takes the contents of the first cell off `text`, which is UTF-8 and not empty.
Character take_character(std::string_view& text);

class WidthTable {
 public:
  static const WidthTable& instance();  // built at the first use, 128 KB

  // How many cells a character takes: 0 (combining marks, joiners, controls), 1 or 2. East Asian
  // ambiguous characters take one; so does U+00AD, as in xterm.
  int width(char32_t code_point) const {
    return code_point < kTableSize ? entries_[code_point] & kWidth : width_above(code_point);
  }
  // Whether it may stand in a sequence: the emoji of one or two columns and the letters of flags.
  bool is_emoji(char32_t code_point) const {
    return code_point < kTableSize && (entries_[code_point] & kEmoji) != 0;
  }
  // Whether a character below 0x20000 has one column and is not an emoji.
  bool is_plain(char32_t code_point) const { return entries_[code_point] == 1; }

 private:
  static constexpr uint8_t kWidth = 3, kEmoji = 4;
  static constexpr char32_t kTableSize = 0x20000;
  WidthTable();
  static int width_above(char32_t code_point);

  uint8_t entries_[kTableSize];
};

}  // namespace orch::term
