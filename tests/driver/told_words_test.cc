#include "driver/told_words.h"

#include <catch2/catch.hpp>

namespace orch::driver {
namespace {

using agent::Speaker;

const std::string kFirst = "thefirstlineofall", kSecond = "asecondlineofwords",
                  kThird = "andathirdonehere";

ToldWords told_three() {
  ToldWords told;
  told.add(kFirst, Speaker::kAgent);
  told.add(kSecond, Speaker::kTool);
  told.add(kThird, Speaker::kAgent);
  return told;
}

TEST_CASE("words are a row without blanks, frames, bullets and the signs of markdown") {
  CHECK(words_of("● one  two") == "onetwo");
  CHECK(words_of("  │ **bold** `code` │") == "boldcode");
  CHECK(words_of("## Title — a_b") == "Titleab");
  CHECK(words_of("╭──────╮") == "");
  CHECK(words_of("Grüße, 世界!") == "Grüße,世界!");
  CHECK(words_of("") == "");
}

TEST_CASE("what follows so many bytes of words stands behind them in the row") {
  CHECK(after_words("● one two", 3) == "two");
  CHECK(after_words("● one two", 4) == "wo");
  CHECK(after_words("● one two", 0) == "● one two");
  CHECK(after_words("● one two", 6) == "");
  CHECK(after_words("● one two", 100) == "");
  CHECK(after_words("  Grüße  alle", 7) == "alle");
}

TEST_CASE("outside of a redraw nothing is shown again") {
  ToldWords told = told_three();
  CHECK_FALSE(told.redrawing());
  CHECK(told.shown_again(kFirst) == 0);
}

TEST_CASE("a redraw goes through what was told, from wherever it begins, and never back") {
  ToldWords told = told_three();
  told.begin_redraw();
  CHECK(told.redrawing());
  CHECK(told.shown_again(kSecond) == kSecond.size());
  CHECK(told.speaker() == Speaker::kTool);
  CHECK(told.shown_again(kFirst) == 0);
  CHECK(told.shown_again(kThird) == kThird.size());
  CHECK(told.speaker() == Speaker::kAgent);
  CHECK_FALSE(told.redrawing());
  CHECK(told.shown_again(kThird) == 0);
}

TEST_CASE("the same words in other rows are shown again") {
  ToldWords told = told_three();
  const std::string all = kFirst + kSecond + kThird;
  for (size_t width = 13; width < all.size(); ++width) {
    told.begin_redraw();
    for (size_t at = 0; at < all.size(); at += width) {
      const std::string row = all.substr(at, width);
      CHECK(told.shown_again(row) == row.size());
    }
    CHECK_FALSE(told.redrawing());
  }
}

TEST_CASE("what was told may end within a row") {
  ToldWords told = told_three();
  told.begin_redraw();
  CHECK(told.shown_again(kSecond) > 0);
  CHECK(told.shown_again(kThird + "andnewwords") == kThird.size());
  CHECK_FALSE(told.redrawing());
}

TEST_CASE("a row that goes on where what was told ends says nothing while none was known before") {
  ToldWords told = told_three();
  told.begin_redraw();
  CHECK(told.shown_again(kFirst + kSecond + kThird + "andnewwords") == 0);
}

TEST_CASE("few words do not say where a redraw begins, but go on near where it is") {
  ToldWords told;
  told.add(kFirst, Speaker::kAgent);
  told.add("few", Speaker::kAgent);
  told.add(kSecond, Speaker::kAgent);
  told.add(std::string(190, 'x'), Speaker::kAgent);
  told.add("near", Speaker::kAgent);
  told.add(std::string(200, 'y'), Speaker::kAgent);
  told.add("away", Speaker::kAgent);
  told.begin_redraw();
  CHECK(told.shown_again("few") == 0);
  CHECK(told.shown_again(kFirst) > 0);
  CHECK(told.shown_again("few") == 3);
  CHECK(told.shown_again(kSecond) > 0);
  CHECK(told.shown_again("near") == 4);
  CHECK(told.shown_again("away") == 0);
}

TEST_CASE("few words begin a redraw where they were the very first that were told") {
  ToldWords told;
  told.add("few", Speaker::kAgent);
  told.begin_redraw();
  CHECK(told.shown_again("few") == 3);
}

TEST_CASE("what is told while a redraw goes on is no part of it") {
  ToldWords told = told_three();
  told.begin_redraw();
  CHECK(told.shown_again(kFirst) > 0);
  told.add("wordsthatarenewhere", Speaker::kAgent);
  CHECK(told.shown_again("wordsthatarenewhere") == 0);
  CHECK(told.shown_again(kThird) > 0);
  CHECK_FALSE(told.redrawing());
}

TEST_CASE("a redraw says whether it has shown anything") {
  ToldWords told = told_three();
  told.begin_redraw();
  CHECK_FALSE(told.found_any());
  told.shown_again("somethingentirelyelse");
  CHECK_FALSE(told.found_any());
  told.shown_again(kThird);
  CHECK(told.found_any());
  told.begin_redraw();
  CHECK_FALSE(told.found_any());
}

TEST_CASE("a redraw that is ended shows nothing more") {
  ToldWords told = told_three();
  told.begin_redraw();
  told.end_redraw();
  CHECK_FALSE(told.redrawing());
  CHECK(told.shown_again(kThird) == 0);
}

TEST_CASE("a run of rows was told when they follow each other as they did") {
  const ToldWords told = told_three();
  CHECK(told.run_told({kFirst, kSecond, kThird, "new"}, 0) == 3);
  CHECK(told.run_told({"new", kSecond, kThird}, 1) == 2);
  CHECK(told.run_told({kSecond, kFirst}, 0) == 1);
  CHECK(told.run_told({"new", kFirst}, 0) == 0);
  CHECK(told.run_told({"asecond", "lineofwords"}, 0) == 2);
  CHECK(told.run_told({"asecond"}, 0) == 0);  // too few words to be sure
  CHECK(told.run_told({"asecondlineo", "fw", "ords"}, 0) == 3);
}

TEST_CASE("a run of rows is looked for where it was told last") {
  ToldWords told = told_three();
  told.add(kFirst, Speaker::kAgent);
  told.add("somethingelse", Speaker::kAgent);
  CHECK(told.run_told({kFirst, "somethingelse"}, 0) == 2);
  CHECK(told.run_told({kFirst, kSecond}, 0) == 1);
}

TEST_CASE("the words reported last are known before new words that are drawn again") {
  const ToldWords told = told_three();
  const std::string second = kSecond, third = kThird;
  CHECK(told.tail_told({second, third, "and", "newwords"}, 0, "andold") == 0);
  CHECK(told.tail_told({second, third, "and", "newwords"}, 0, "andnew") ==
        second.size() + third.size());
  CHECK(told.tail_told({"x", second, third + "and"}, 1, "and") == second.size() + third.size());
  CHECK(told.tail_told({second, third}, 0, "and") == 0);  // not drawn again
  CHECK(told.tail_told({kFirst, third, "and"}, 0, "and") == 0);
  CHECK(told.tail_told({"new", "words"}, 0, "") == 0);
}

TEST_CASE("the oldest of a quarter of a megabyte of words is forgotten, the newest is not") {
  ToldWords told;
  told.add(kFirst, Speaker::kUser);
  const auto row = [](int i) { return "number" + std::to_string(100'000 + i); };
  int rows = 0;
  for (size_t bytes = kFirst.size(); bytes < (size_t{256} << 10); bytes += row(0).size()) {
    told.add(row(rows++), Speaker::kAgent);
  }
  told.begin_redraw();
  CHECK(told.shown_again(kFirst) == kFirst.size());  // it is not forgotten yet
  told.add(kSecond, Speaker::kTool);
  told.add(kThird, Speaker::kAgent);
  told.begin_redraw();
  CHECK(told.shown_again(kFirst) == 0);
  CHECK(told.shown_again(row(rows - 1)) > 0);
  CHECK(told.shown_again(kSecond) == kSecond.size());
  CHECK(told.speaker() == Speaker::kTool);
  CHECK(told.shown_again(kThird) == kThird.size());
  CHECK(told.speaker() == Speaker::kAgent);
}

TEST_CASE("a redraw goes on where it was when the oldest words are forgotten") {
  ToldWords told;
  told.add(std::string(size_t{200} << 10, 'x'), Speaker::kAgent);
  told.add(kFirst, Speaker::kAgent);
  told.add(kSecond, Speaker::kAgent);
  told.begin_redraw();
  CHECK(told.shown_again(kFirst) > 0);
  told.add(std::string(size_t{60} << 10, 'y'), Speaker::kAgent);
  told.add(kThird, Speaker::kAgent);  // now the first half of the words is forgotten
  CHECK(told.shown_again(kSecond) == kSecond.size());
  CHECK_FALSE(told.redrawing());
}

}  // namespace
}  // namespace orch::driver
