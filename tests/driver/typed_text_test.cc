#include "driver/typed_text.h"

#include <catch2/catch.hpp>

namespace orch::driver {
namespace {

using Extent = TypedText::Extent;

bool shows(std::string_view typed, std::string_view box, Extent extent = Extent::kAll) {
  return TypedText(typed, nullptr).is_shown_by(box, extent);
}

bool stands_for(std::string_view box, std::string_view typed, Extent extent = Extent::kAll) {
  const auto pattern = placeholder_pattern(
      "\\[(Pasted|\\.\\.\\.Truncated)\\s+text\\s+#\\d+(\\s+\\+\\d+\\s+lines(\\.\\.\\.)?)?\\]|"
      "\\[Pasted (Content|~)? ?\\d+ (chars|lines)\\]");
  return TypedText(typed, &*pattern).is_shown_by(box, extent);
}

TEST_CASE("composed and decomposed accents are the same text") {
  CHECK(shows("cafe\u0301 au lait", "caf\u00e9 au lait"));
  CHECK(shows("caf\u00e9 au lait", "caf\u00e9 au lait"));
  CHECK(shows("a\u0308o\u0308u\u0308", "\u00e4\u00f6\u00fc"));
  CHECK(shows("か\u3099き\u3099", "がぎ"));
  // A Hangul syllable of three code points, and its composed form.
  CHECK(shows("\u1112\u1161\u11ab", "한"));
}

TEST_CASE("other letters are not") {
  CHECK_FALSE(shows("cafe\u0301 au lait", "caf\u00e9 au vin"));
  CHECK_FALSE(shows("cafe\u0301", "cafe"));
  CHECK_FALSE(shows("caf\u00e9", "caf\u00e8"));  // no composition: they must be equal
  CHECK_FALSE(shows("日本", "日木"));
}

TEST_CASE("joined emoji are recognised by what stands around them") {
  CHECK(shows("ok \U0001F44D\U0001F3FD and \u2764\ufe0f\u200d\U0001F525 too",
              "ok \U0001F44D\U0001F3FD and \u2764\U0001F525 too"));
}

TEST_CASE("the end of a long text is enough where the box has scrolled, but nothing before it") {
  const std::string text = "first of all the long text, and then all of the rest of it";
  CHECK(shows(text, "then all of the rest of it", Extent::kEnd));
  CHECK_FALSE(shows(text, "rest of it", Extent::kEnd));
  CHECK_FALSE(shows(text, "then all of the rest of it"));
  for (const Extent extent : {Extent::kAll, Extent::kEnd}) {
    CHECK_FALSE(shows(text, "what a human wrote before this: " + text, extent));
    CHECK_FALSE(shows(text, "WRONG" + text, extent));
    CHECK_FALSE(shows(text, text + "and more", extent));
    CHECK_FALSE(shows(text, "first of all the rest of it, all of it", extent));
  }
}

TEST_CASE("a part that is lost is seen, also among joined emoji") {
  const std::string text = "\U0001F44D\U0001F3FD first of all, then the second, and the third part";
  CHECK(shows(text, "\U0001F44D first of all, then the second, and the third part"));
  CHECK_FALSE(shows(text, "\U0001F44D first of all, and the third part"));
}

TEST_CASE("what takes no place is left out on both sides, as are blanks and frames") {
  CHECK(shows("zero\u200bwidth", "zerowidth"));
  CHECK(shows("zero\u200bwidth", "zero\u200bwidth"));
  CHECK(shows("zerowidth", "zero\u200bwidth"));
  CHECK(shows("soft\u00adhyphen, word\u2060joiner, \ufeffmark", "softhyphen, wordjoiner, mark"));
  CHECK(shows("a\tb", "a    b"));
  CHECK(shows("a\tb", "a^Ib"));
  CHECK_FALSE(shows("a b", "a^Ib"));
  CHECK(shows("a\u00a0b\u3000c", "a b c"));
  CHECK(shows("| a | b |\n|---|---|\n│ c", "a | b |---|--- c"));
}

TEST_CASE("a text that draws nothing is shown by no box") {
  for (const std::string_view text : {"", " \t\n", "\u200b", "\u00ad", "│ |", "\u00a0"}) {
    CHECK(draws_nothing(text));
    CHECK_FALSE(shows(text, ""));
    CHECK_FALSE(shows(text, text));
  }
  CHECK_FALSE(draws_nothing("\u200b."));
  CHECK_FALSE(shows("hello", "\u200b"));
}

std::string lines(int count, std::string_view word = "line") {
  std::string text;
  for (int i = 0; i < count; ++i) text.append(word).append(" ").append(std::to_string(i)) += '\n';
  return text;
}

TEST_CASE("a placeholder stands for as much as it tells") {
  const std::string text = lines(30) + "end";
  CHECK(stands_for("[Pasted text #1 +30 lines]", text));
  CHECK(stands_for("[Pasted text #12 +31 lines]", text));
  CHECK_FALSE(stands_for("[Pasted text #1 +20 lines]", text));
  CHECK_FALSE(stands_for("[Pasted text #1 +40 lines]", text));
  CHECK(stands_for("[Pasted text #1]", text));
  CHECK(stands_for("[Pasted ~31 lines]", text));
  CHECK(stands_for("[Pasted Content " + std::to_string(text.size()) + " chars]", text));
  CHECK_FALSE(stands_for("[Pasted Content 100 chars]", text));
  CHECK_FALSE(stands_for("[Pasted Content 1000 chars]", text));
  CHECK(stands_for("[Pasted text #1 +30 lines]", lines(30)));
  CHECK(stands_for("[Pasted text #1 +33 lines]", "\n\n" + lines(30) + "end\n"));
}

TEST_CASE("a placeholder may be broken over rows") {
  const std::string text = "begin with this\n" + lines(274) + "the end of it";
  CHECK(stands_for("begin with[...Truncated text #1 +274\n  lines...]the end of it", text));
  CHECK_FALSE(stands_for("begin with[...Truncated text #1 +174\n  lines...]the end of it", text));
}

TEST_CASE("what an agent leaves of late replies is known by its characters and their order") {
  const std::string replies = "\x1b[?0u\x1bP>|orch(0.1.0)\x1b\\\x1b[?62;22c";
  CHECK(may_be_replies("0u>|orch(0.1.0)62;22c", replies));
  CHECK(may_be_replies("62;22c", replies));
  CHECK_FALSE(may_be_replies("62;22c fix it", replies));
  CHECK_FALSE(may_be_replies("fix", replies));
  CHECK_FALSE(may_be_replies("x", ""));
}

TEST_CASE("between placeholders stands what is between their parts") {
  const std::string text = "begin with this\n" + lines(20) + "in the middle\n" + lines(40, "row");
  CHECK(
      stands_for("begin with this [Pasted text #1 +20 lines] in the middle "
                 "[Pasted text #2 +40 lines]",
                 text));
  CHECK(stands_for("begin with this [Pasted text #1 +20 lines][Pasted text #2 +41 lines]", text));
  CHECK_FALSE(stands_for("[Pasted text #1 +20 lines] in the middle [Pasted text #2 +40 lines]",
                         lines(20) + "in the middle\n" + lines(60, "row")));
  CHECK_FALSE(stands_for("WRONG begin with this [Pasted text #1 +61 lines]", text));
  CHECK_FALSE(stands_for("begin with this [Pasted text #1 +61 lines] and mine", text));
  CHECK_FALSE(stands_for("begin with this in the middle [Pasted text #2 +40 lines]", text));
  CHECK_FALSE(stands_for("a draft [Pasted text #1 +20 lines]", "hello"));
  CHECK_FALSE(stands_for("hello [Pasted text #1 +20 lines]", "hello"));
}

}  // namespace
}  // namespace orch::driver
