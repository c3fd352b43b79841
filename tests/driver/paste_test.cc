#include "driver/paste.h"

#include <catch2/catch.hpp>
#include <random>

namespace orch::driver {
namespace {

using Pieces = std::vector<std::string_view>;

TEST_CASE("without limits a text is one piece") {
  CHECK(pieces_of("a\nb\nc\nd", {}) == Pieces{"a\nb\nc\nd"});
  CHECK(pieces_of("", {}).empty());
}

TEST_CASE("a piece has so many lines, each with its end") {
  CHECK(pieces_of("a\nb\nc\nd", {.lines = 2}) == Pieces{"a\nb\n", "c\nd"});
  CHECK(pieces_of("a\nb\n", {.lines = 2}) == Pieces{"a\nb\n"});
  CHECK(pieces_of("\n\n\n", {.lines = 2}) == Pieces{"\n\n", "\n"});
  CHECK(pieces_of("a\nb", {.lines = 1}) == Pieces{"a\n", "b"});
}

TEST_CASE("a long line is cut behind a blank, else anywhere") {
  CHECK(pieces_of("one two three", {.bytes = 9}) == Pieces{"one two ", "three"});
  CHECK(pieces_of("a\nlong line", {.bytes = 8}) == Pieces{"a\nlong ", "line"});
  CHECK(pieces_of("abcdefgh", {.bytes = 3}) == Pieces{"abc", "def", "gh"});
  CHECK(pieces_of("漢字漢字", {.bytes = 7}) == Pieces{"漢字", "漢字"});
}

TEST_CASE("what a reader sees as one character is never cut") {
  const std::string one =
      GENERATE(std::string("e\u0301"), std::string(" \u0301"), std::string("\u1112\u1161\u11ab"),
               std::string("\U0001F469\u200d\U0001F469\u200d\U0001F467"),
               std::string("\U0001F44D\U0001F3FD"), std::string("\U0001F1EF\U0001F1F5"),
               std::string("\u2764\ufe0f"), std::string("1\ufe0f\u20e3"));
  const std::string twice = one + one;
  for (int bytes = 1; bytes < static_cast<int>(twice.size()); ++bytes) {
    INFO(one << " in " << bytes);
    CHECK(pieces_of(twice, {.bytes = bytes}) == Pieces{one, one});
  }
}

TEST_CASE("pieces of any text make the text again") {
  std::mt19937 random(20261122);
  const std::string_view parts[] = {"a",  "word ",      "\n",     "漢",         "\u0301",
                                    "\t", "\U0001F1EF", "\u200d", "\U0001F44D", "\xff"};
  for (int round = 0; round < 2'000; ++round) {
    std::string text;
    for (size_t i = random() % 60; i > 0; --i) text += parts[random() % std::size(parts)];
    const adapters::PasteSpec size{.lines = static_cast<int>(random() % 4),
                                   .bytes = static_cast<int>(random() % 20)};
    std::string joined;
    for (const std::string_view piece : pieces_of(text, size)) {
      REQUIRE_FALSE(piece.empty());
      if (size.lines > 0) REQUIRE(std::count(piece.begin(), piece.end(), '\n') <= size.lines);
      joined += piece;
    }
    REQUIRE(joined == text);
  }
}

TEST_CASE("each piece is a paste of its own; where pastes are not marked, the text is typed") {
  CHECK(typed_bytes("a\nb\nc", {.lines = 2}, term::PasteMode::kBracketed) ==
        "\x1b[200~a\nb\n\x1b[201~\x1b[200~c\x1b[201~");
  CHECK(typed_bytes("a\nb\nc", {.lines = 2}, term::PasteMode::kPlain) == "a\nb\nc");
}

}  // namespace
}  // namespace orch::driver
