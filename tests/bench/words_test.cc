#include <catch2/catch.hpp>

#include "words/score.h"
#include "words/word_text.h"

namespace orch::words {
namespace {

using Lines = std::vector<std::string>;

session::ReplayedEvent output(const std::string& text) { return {0, event::Output{text}}; }

}  // namespace

TEST_CASE("Words are what stands between white space and the signs that set text off") {
  CHECK(words_of("  ● **Sure.** `greet`\tjoins ") == Lines{"Sure.", "greet", "joins"});
  CHECK(words_of("> a - b – c — d") == Lines{"a", "b", "c", "d"});
  CHECK(words_of("no\u00a0break\u3000wide") == Lines{"no", "break", "wide"});
  CHECK(words_of("naïve, 全角 don't 1.5").size() == 4);
  CHECK(words_of("").empty());
  CHECK(words_of(" • ").empty());
  CHECK(plain("- a  *b*\n c") == "a b c");
}

TEST_CASE("Texts are trimmed, counted and cut by characters") {
  CHECK(trimmed("\u00a0 a b \n") == "a b");
  CHECK(trimmed(" \u2003 ").empty());
  CHECK(characters("全角é") == 3);
  CHECK(shortened("全角é", 3) == "全角é");
  CHECK(shortened("全角éx", 3) == "全角…");
}

TEST_CASE("Lines told are the texts of the output records, in order") {
  const std::vector<session::ReplayedEvent> events = {{0, event::StatusChange{}},
                                                      output("one"),
                                                      output(""),
                                                      {5, event::Turn{1, true}},
                                                      output("two")};
  CHECK(lines_told(events) == Lines{"one", "", "two"});
}

TEST_CASE("What is told word for word is exact, however it is broken into lines and set off") {
  const Score exact = score("# Plan\n\n1. **Add** a test\n2. Run it",
                            {"● Plan", "", "  1. Add a", "  test", "  2. Run it"});
  CHECK(exact.recordings == 1);
  CHECK(exact.lines == 5);
  CHECK(exact.said == 8);
  CHECK(exact.told == 8);
  CHECK(exact.recall() == 1.0);
  CHECK(exact.too_many() == 0);
  CHECK(exact.inexact == 0);
  CHECK(exact.differences.empty());
}

TEST_CASE("Recall is the share of the words said that are told in their order") {
  const Score some = score("one two three four", {"one", "other words", "three"});
  CHECK(some.told == 2);
  CHECK(some.missing() == 2);
  CHECK(some.recall() == 0.5);
  CHECK(some.inexact == 1);
  CHECK(some.differences == Lines{"missing  \"two\"", "missing  \"four\""});

  CHECK(score("one two", {"two one"}).told == 1);
  CHECK(score("one two", {}).recall() == 0.0);
  CHECK(score("one one", {"one"}).told == 1);
  CHECK_FALSE(score("", {"one"}).recall());
  CHECK(score("", {"one"}).inexact == 0);
}

TEST_CASE("A line told again is a repeat, once for each time too many") {
  const std::string line = "All tests have passed.";
  CHECK(score(line, {line}).repeats == 0);
  const Score twice_too_many = score(line, {line, "● All tests have passed.", line});
  CHECK(twice_too_many.repeats == 2);
  CHECK(twice_too_many.inexact == 1);
  CHECK(twice_too_many.differences == Lines{"repeat   \"All tests have passed.\""});
}

TEST_CASE("A line that the model said more than once is told so often") {
  const std::string line = "All tests have passed.";
  CHECK(score(line + "\n" + line, {line, line}).repeats == 0);
  CHECK(score(line + " " + line, {line, line, line}).repeats == 1);
}

TEST_CASE("A line of another source may be told once, a short one as often as it likes") {
  CHECK(score("", {"● Read(README.md)"}).repeats == 0);
  CHECK(score("", {"● Read(README.md)", "● Read(README.md)"}).repeats == 1);
  CHECK(score("", {"12345678901", "12345678901"}).repeats == 0);
  CHECK(score("", {"123456789012", "123456789012"}).repeats == 1);
  CHECK(score("", {"éééééééé", "éééééééé"}).repeats == 0);  // 16 bytes
}

TEST_CASE("A line that begins the next one is partial") {
  const Score growing =
      score("It is called once.", {"It is", "It is called", "It is called once."});
  CHECK(growing.partial == 2);
  CHECK(growing.inexact == 1);
  CHECK(growing.differences == Lines{"partial  \"It is\"", "partial  \"It is called\""});
  CHECK(score("", {"  It is", "It is called"}).partial == 1);
  CHECK(score("", {"Done", "Done."}).partial == 1);
}

TEST_CASE("A line is not partial because it is short, the same, or begins a later one") {
  CHECK(score("", {"Don", "Done"}).partial == 0);
  CHECK(score("", {"éé", "ééx"}).partial == 0);  // 4 bytes
  CHECK(score("", {"It is", "It is"}).partial == 0);
  CHECK(score("", {"It is", "  It is "}).partial == 0);
  CHECK(score("", {"It is", "other", "It is called"}).partial == 0);
  CHECK(score("", {"It is called", "It is"}).partial == 0);
  CHECK(score("", {"called", "It is called"}).partial == 0);
}

TEST_CASE("Lines of the interface are chrome") {
  for (const char* line :
       {"╭────╮", "│ Tips", "▄▄▄▄", "Esc to cancel", "ctrl+o to expand",
        "Shift+Tab to accept edits", "? for shortcuts", "1.2k tokens used", "40% context left",
        "type /help", "no sandbox", "YOLO mode", "  ──────────  ", "\u00a0━━━━━━━━"}) {
    INFO(line);
    const Score framed = score("All tests passed.", {"All tests passed.", line});
    CHECK(framed.chrome == 1);
    CHECK(framed.inexact == 1);
  }
}

TEST_CASE("What the model said is not chrome, nor are ordinary lines") {
  CHECK(score("Press Esc to cancel it.", {"● Press Esc to cancel it."}).chrome == 0);
  CHECK(score("Press Esc\nto cancel it.", {"Press Esc to cancel it."}).chrome == 0);
  CHECK(score("Press Esc.", {"Press Esc to cancel it."}).chrome == 1);
  for (const char* line :
       {"● Read(README.md)", "tokens", "───────", "── Plan ──────────", "│", ""}) {
    INFO(line);
    CHECK(score("", {line}).chrome == 0);
  }
}

TEST_CASE("Three differences of a kind are kept, all are counted") {
  const Score many = score("", {"│ 1", "│ 2", "│ 3", "│ 4"});
  CHECK(many.chrome == 4);
  CHECK(many.differences == Lines{"chrome   \"│ 1\"", "chrome   \"│ 2\"", "chrome   \"│ 3\""});
}

TEST_CASE("A sum holds what its recordings hold") {
  Score sum;
  add(sum, score("one two", {"one"}));
  add(sum, score("three", {"three"}));
  add(sum, score("", {"a bcd", "a bcde", "│ told again", "│ told again"}));
  CHECK(sum.recordings == 3);
  CHECK(sum.inexact == 2);
  CHECK(sum.lines == 6);
  CHECK(sum.said == 3);
  CHECK(sum.told == 2);
  CHECK(sum.repeats == 0);
  CHECK(sum.partial == 1);
  CHECK(sum.chrome == 2);
}

}  // namespace orch::words
