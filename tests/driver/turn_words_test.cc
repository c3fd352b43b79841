#include "driver/turn_words.h"

#include <catch2/catch.hpp>

namespace orch::driver {
namespace {

using agent::Line;
using agent::Speaker;
using Lines = std::vector<Line>;

const Line kGap{.text = "", .gap = true};

Line line(std::string text) { return {.text = std::move(text)}; }

TEST_CASE("lines pass at once while none are missing") {
  TurnWords words;
  CHECK(words.pass({line("one"), line("two")}) == Lines{line("one"), line("two")});
  CHECK_FALSE(words.holds());
  CHECK(words.finish({"one\ntwo\nthree"}).empty());
}

TEST_CASE("what is missing is taken from the record, and what follows stays in order") {
  TurnWords words;
  CHECK(words.pass({line("the first line"), kGap, line("the fourth line")}) ==
        Lines{line("the first line")});
  CHECK(words.pass({line("the fifth line")}).empty());
  CHECK(words.holds());
  CHECK(words.finish({"the first line\nthe **second** line\n\nthe third line\nthe fourth line\n"
                      "the fifth line"}) == Lines{line("the **second** line"),
                                                  line("the third line"), line("the fourth line"),
                                                  line("the fifth line")});
  CHECK_FALSE(words.holds());
}

TEST_CASE("of a line that was told in part the rest is told") {
  TurnWords words;
  CHECK(words.pass({line("a sentence that"), kGap, line("it ends with these words")}).size() == 1);
  CHECK(words.finish({"a sentence that is wrapped, until\nit ends with these words"}) ==
        Lines{line("is wrapped, until"), line("it ends with these words")});
}

TEST_CASE("a gap at the end of a turn is filled to the record's end") {
  TurnWords words;
  CHECK(words.pass({line("begin"), kGap}).size() == 1);
  CHECK(words.finish({"begin", "and the second text\nLOOP_COMPLETE"}) ==
        Lines{line("and the second text"), line("LOOP_COMPLETE")});
}

TEST_CASE("a gap at the beginning of a turn is filled from its beginning") {
  TurnWords words;
  const Line question{.text = "a question", .speaker = Speaker::kUser};
  CHECK(words.pass({line("an old answer"), question, kGap, line("the last line of it")}).size() ==
        2);
  CHECK(words.finish({"the first line\nthe last line of it"}) ==
        Lines{line("the first line"), line("the last line of it")});
}

TEST_CASE("a gap that the record does not bridge is told as one") {
  const Lines held{kGap, line("words of no record")};
  for (const std::vector<std::string>& texts :
       {std::vector<std::string>{}, {"something else"}, {"told before\nand other words"}}) {
    TurnWords words;
    CHECK(words.pass({line("told before"), kGap, line("words of no record")}).size() == 1);
    CHECK(words.finish(texts) == held);
  }
}

TEST_CASE("a record that lacks the last words is behind the screen") {
  TurnWords words;
  CHECK_FALSE(words.outrun({}));
  CHECK(words.pass({line("First a look."), line("It adds `up`.")}).size() == 2);
  CHECK(words.outrun({"First a look."}));
  CHECK_FALSE(words.outrun({"First a look.", "It **adds** up."}));
  CHECK(words.pass({{.text = "again", .speaker = Speaker::kUser}}).size() == 1);
  CHECK_FALSE(words.outrun({}));
}

TEST_CASE("what is held back is bounded") {
  TurnWords words;
  CHECK(words.pass({kGap}).empty());
  size_t told = 0;
  for (int i = 0; i < 30'000; ++i) told += words.pass({line("line " + std::to_string(i))}).size();
  CHECK(told > 19'000);
}

}  // namespace
}  // namespace orch::driver
