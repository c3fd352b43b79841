#include "driver/paste.h"

#include <catch2/catch.hpp>
#include <random>

namespace orch::driver {
namespace {

using Pieces = std::vector<std::string_view>;

TEST_CASE("a text is cut behind a line or a word, if that is not too early") {
  CHECK(pieces_of("", 9).empty());
  CHECK(pieces_of("a\nb\nc\nd", 100) == Pieces{"a\nb\nc\nd"});
  CHECK(pieces_of("one two three", 9) == Pieces{"one two ", "three"});
  CHECK(pieces_of("line\nlong line", 8) == Pieces{"line\n", "long ", "line"});
  CHECK(pieces_of("a bcdefghi", 8) == Pieces{"a bcdefg", "hi"});
  CHECK(pieces_of("abcdefgh", 3) == Pieces{"abc", "def", "gh"});
  CHECK(pieces_of("漢字漢字", 7) == Pieces{"漢字", "漢字"});
}

TEST_CASE("what a reader sees as one character is never cut") {
  const std::string one =
      GENERATE(std::string("e\u0301"), std::string(" \u0301"), std::string("\u1112\u1161\u11ab"),
               std::string("\U0001F469\u200d\U0001F469\u200d\U0001F467"),
               std::string("\U0001F44D\U0001F3FD"), std::string("\U0001F1EF\U0001F1F5"),
               std::string("\u2764\ufe0f"), std::string("1\ufe0f\u20e3"));
  const std::string twice = one + one;
  for (size_t bytes = 1; bytes < twice.size(); ++bytes) {
    INFO(one << " in " << bytes);
    CHECK(pieces_of(twice, bytes) == Pieces{one, one});
  }
}

TEST_CASE("pieces of any text make the text again") {
  std::mt19937 random(20261122);
  const std::string_view parts[] = {"a",  "word ",      "\n",     "漢",         "\u0301",
                                    "\t", "\U0001F1EF", "\u200d", "\U0001F44D", "\xff"};
  for (int round = 0; round < 2'000; ++round) {
    std::string text;
    for (size_t i = random() % 60; i > 0; --i) text += parts[random() % std::size(parts)];
    const size_t size = random() % 20;
    std::string joined;
    for (const std::string_view piece : pieces_of(text, size)) {
      REQUIRE_FALSE(piece.empty());
      joined += piece;
    }
    REQUIRE(joined == text);
  }
}

const adapters::KeysSpec kKeys{.bytes = 8, .between = "End", .tab = "    "};

TEST_CASE("keys are typed with a key that does nothing between pieces, and without tabs") {
  for (const term::PasteMode mode : {term::PasteMode::kBracketed, term::PasteMode::kPlain}) {
    CHECK(typed_bytes("one two three", kKeys, mode) == "one two \x1b[Fthree");
    CHECK(typed_bytes("a\n/tmp/b.png", kKeys, mode) == "a\n/tmp/b\x1b[F.png");
    CHECK(typed_bytes("\tx\ty", kKeys, mode) == "    x   \x1b[F y");
    CHECK(typed_bytes("a\x1b[201~\rb", {.bytes = 80}, mode) == "a[201~\nb");
  }
}

TEST_CASE("a blank closes the menu that a text's last word opens") {
  const adapters::KeysSpec keys{.bytes = 0, .between = "", .tab = "", .menus = "/@"};
  const auto typed = [&keys](std::string_view text) {
    return typed_bytes(text, keys, term::PasteMode::kPlain);
  };
  CHECK(typed("do not run /help") == "do not run /help ");
  CHECK(typed("look\n@src") == "look\n@src ");
  CHECK(typed("/clear") == "/clear");
  CHECK(typed("run /help now") == "run /help now");
  CHECK(typed("run a/b") == "run a/b");
}

TEST_CASE("without keys in the manifest a text is one paste, or typed where none are marked") {
  CHECK(typed_bytes("a\n\tb", {}, term::PasteMode::kBracketed) == "\x1b[200~a\n\tb\x1b[201~");
  CHECK(typed_bytes("a\n\tb", {}, term::PasteMode::kPlain) == "a\n\tb");
}

}  // namespace
}  // namespace orch::driver
