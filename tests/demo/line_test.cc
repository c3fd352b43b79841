#include "demo/line.h"

#include <catch2/catch.hpp>

using namespace orch::demo;

using Rows = std::vector<std::string>;

TEST_CASE("words wrap at blanks, which are dropped") {
  CHECK(wrap_words("one two three", 7) == Rows{"one two", "three"});
  CHECK(wrap_words("one two three", 8) == Rows{"one two", "three"});
  CHECK(wrap_words("one   two", 4) == Rows{"one", "two"});
  CHECK(wrap_words("", 4) == Rows{""});
  CHECK(wrap_words("    ", 2) == Rows{""});
}

TEST_CASE("indentation stays and a word longer than the row is cut") {
  CHECK(wrap_words("  indented text", 10) == Rows{"  indented", "text"});
  CHECK(wrap_words("abcdefgh", 3) == Rows{"abc", "def", "gh"});
  CHECK(wrap_words("a bcdefgh", 4) == Rows{"a", "bcde", "fgh"});
}

TEST_CASE("a wide character is never cut in two") {
  CHECK(wrap_columns("日本語", 3) == Rows{"日", "本", "語"});
  CHECK(wrap_columns("日本語", 1) == Rows{"日", "本", "語"});
  CHECK(wrap_columns("a  b", 2) == Rows{"a ", " b"});
  CHECK(wrap_columns("", 2) == Rows{""});
}

TEST_CASE("cells: wide characters take two, marks join, what does not fit is left out") {
  const std::vector<Cell> cells = cells_of({{Ink::kBold, "日e\u0301x本"}}, 5);
  REQUIRE(cells.size() == 5);
  CHECK(cells[0] == Cell{"日", Ink::kBold});
  CHECK(cells[1].glyph.empty());
  CHECK(cells[2] == Cell{"e\u0301", Ink::kBold});
  CHECK(cells[3] == Cell{"x", Ink::kBold});
  CHECK(cells[4] == Cell{});
}

TEST_CASE("a space without a background is a blank") {
  CHECK(cells_of({{Ink::kDim, "a b"}}, 3)[1] == Cell{});
  CHECK(cells_of({{Ink::kUser, "a b"}}, 3)[1] == Cell{" ", Ink::kUser});
}

TEST_CASE("text from outside cannot move the cursor") {
  CHECK(drawable("a\x1b[2Jb\tc\nd\r") == "a\uFFFD[2Jb    c\nd\uFFFD");
  CHECK(drawable("\n\n") == "\n\n");
  CHECK(drawable("") == "");
}
