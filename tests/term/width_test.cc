#include "term/width.h"

#include <catch2/catch.hpp>

namespace orch::term {
namespace {

TEST_CASE("widths of characters") {
  const WidthTable& table = WidthTable::instance();
  for (const char32_t narrow : {U'a', U'é', U'─', U'█', U'⠋', U'✳', U'❯', U'●', U'…', U'\u00A0',
                                U'\u00AD', U'\uFFFD', U'\uE000', char32_t{0x10FFFF}}) {
    CHECK(table.width(narrow) == 1);
  }
  for (const char32_t wide : {U'中', U'あ', U'한', U'Ａ', U'😀', U'🚀', U'✨', U'✅', U'⌚',
                              char32_t{0x20000}, char32_t{0x3FFFD}, char32_t{0x1FAE8}}) {
    CHECK(table.width(wide) == 2);
  }
  for (const char32_t zero : {U'\u0000', U'\u009B', U'\u0300', U'\u200B', U'\u200D', U'\uFE0F',
                              U'\u20E3', U'\u1160', char32_t{0xE0001}, char32_t{0xE0100}}) {
    CHECK(table.width(zero) == 0);
  }
}

TEST_CASE("the table says what its ranges say, and they are sorted") {
  const WidthTable& table = WidthTable::instance();
  for (const auto ranges : {wide_ranges(), zero_width_ranges(), narrow_emoji_ranges()}) {
    char32_t next = ranges.front().first;
    for (const CodeRange& range : ranges) {
      CHECK(range.first >= next);
      CHECK(range.last >= range.first);
      next = range.last + 1;
    }
  }
  for (const CodeRange& range : wide_ranges()) {
    CHECK(table.width(range.first) == 2);
    CHECK(table.width(range.last) == 2);
  }
  for (const CodeRange& range : zero_width_ranges()) {
    CHECK(table.width(range.first) == 0);
    CHECK(table.width(range.last) == 0);
  }
  for (const CodeRange& range : narrow_emoji_ranges()) {
    CHECK(table.width(range.first) == 1);
    CHECK(table.is_emoji(range.first) == (range.first >= 0x80));
    CHECK(table.is_plain(range.last) == (range.last < 0x80));
  }
}

TEST_CASE("a text is taken apart into the contents of cells") {
  std::string_view text =
      "ae\u0301中❤❤\uFE0F1\uFE0F\u20E3🇩🇪🇫👩🏻\u200D💻🏻\u0301\n";
  std::string cells;
  while (!text.empty()) {
    const Character character = take_character(text);
    cells.append(character.bytes).append(1, static_cast<char>('0' + character.columns)).append(" ");
  }
  CHECK(cells ==
        "a1 e\u03011 中2 ❤1 ❤\uFE0F2 1\uFE0F\u20E32 🇩🇪2 🇫1 "
        "👩🏻\u200D💻🏻\u03012 "
        "\n0 ");
}

}  // namespace
}  // namespace orch::term
