#include <catch2/catch.hpp>

#include "transcript_rig.h"

namespace orch::driver {
namespace {

using Texts = std::vector<std::string>;

TEST_CASE("what a full redraw shows again is not told again") {
  Transcript transcript(bulleted(), kUserMessage);
  Terminal terminal(transcript, 4);
  for (const char* row : {"> go", "", "● one", "  two", "", "  three", "  two", "  four"}) {
    terminal.append(row);
  }
  terminal.settle();
  CHECK(texts_of(transcript) == Texts{"go", "", "one", "two", "", "three", "two", "four"});
  for (int i = 0; i < 3; ++i) terminal.redraw();
  terminal.settle();
  CHECK(texts_of(transcript).empty());
  terminal.append("  two");
  terminal.append("  five");
  terminal.settle();
  CHECK(texts_of(transcript) == Texts{"two", "five"});
}

TEST_CASE("a redraw in another width is known by its words") {
  Transcript transcript(bulleted(), kUserMessage);
  const Texts wide{"● The quick brown fox jumps over", "  the lazy dog, twice."};
  show(transcript, wide);
  CHECK(texts_of(transcript).size() == 2);
  transcript.screen_cleared(0);
  const Texts narrow{"● The quick brown", "  fox jumps over the", "  lazy dog, twice.", "  New."};
  show(transcript, narrow);
  CHECK(texts_of(transcript) == Texts{"New."});
}

TEST_CASE("of a row that a redraw shows with more words only these are told") {
  Transcript transcript(bulleted(), kUserMessage);
  show(transcript, {"● one line of words", "  The quick brown", "  fox jum"}, 0, 2);
  CHECK(texts_of(transcript) == Texts{"one line of words", "The quick brown"});
  transcript.screen_cleared(0);
  show(transcript, {"● one line of words", "  The quick brown fox jumps over", "  the lazy dog."});
  CHECK(texts_of(transcript) == Texts{"fox jumps over", "the lazy dog."});
}

TEST_CASE("a redraw may begin in the middle of what was told") {
  Transcript transcript(bulleted(), kUserMessage);
  Terminal terminal(transcript, 4);
  for (int i = 1; i <= 20; ++i)
    terminal.append((i == 1 ? "● line number " : "  line number ") + std::to_string(i));
  terminal.settle();
  CHECK(texts_of(transcript).size() == 20);
  transcript.screen_cleared(0);  // the agent redraws only the screen
  show(transcript,
       {"  line number 18", "  line number 19", "  line number 20", "  line number 21"});
  CHECK(texts_of(transcript) == Texts{"line number 21"});
}

TEST_CASE("rows of few words are known by their order, whatever looks like a row of a message") {
  Transcript transcript(bulleted(), kUserMessage);
  const auto row = [](int number) { return "  row " + std::to_string(number); };
  show(transcript,
       {"> Say LOOP_COMPLETE at the end", "", "● row 1", row(2), row(3), row(4), row(5)});
  CHECK(texts_of(transcript).size() == 7);
  transcript.screen_cleared(0);
  Texts rows{"● row 2"};
  for (int i = 3; i <= 30; ++i) rows.push_back(row(i));
  rows.emplace_back("  LOOP_COMPLETE");
  show(transcript, rows);
  const std::vector<Line> told = transcript.take();
  REQUIRE(told.size() == 26);
  CHECK(told.front().text == "row 6");
  CHECK(told.back().text == "LOOP_COMPLETE");
  CHECK(told.back().speaker == agent::Speaker::kAgent);
}

TEST_CASE("a redraw goes on while it shows words that were told, and ends a second after") {
  Transcript transcript(bulleted(), kUserMessage);
  Texts rows{"● begin of it all"};
  for (int i = 1; i < 6; ++i) rows.push_back(numbered(i));
  show(transcript, rows);
  texts_of(transcript);
  transcript.screen_cleared(0);
  for (size_t n = 1; n <= rows.size(); ++n) {  // a row every 900 ms
    const auto now = static_cast<TimeMs>(n) * 900;
    transcript.look(now, rows_of(Texts(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(n))), n);
    transcript.settle_rested(now + 800);
  }
  show(transcript, rows, 60'000);
  CHECK(texts_of(transcript).empty());
}

TEST_CASE("a clear after which nothing is drawn is waited for without a clock") {
  Transcript transcript(bulleted(), kUserMessage);
  const Texts told{"● the first line", "  the second line", "  the third line"};
  show(transcript, told);
  texts_of(transcript);
  transcript.screen_cleared(0);
  const auto look = [&transcript](TimeMs now, const Texts& rows) {
    transcript.look(now, rows_of(rows), rows.size());
    return transcript.settle_rested(now);
  };
  const Texts running{"● Bash(make all)", "  ⎿  Running"};  // what may change is not told yet
  CHECK(look(0, running) == 1'000);
  CHECK_FALSE(transcript.at_rest(rows_of(running), running.size()));
  CHECK(look(1'000, running) == base::kNever);
  CHECK(transcript.at_rest(rows_of(running), running.size()));
  for (const std::string& row : told) scroll_off(transcript, {row, false});
  CHECK(look(60'000, running) == 61'000);
  CHECK(look(61'000, running) == base::kNever);
  CHECK(texts_of(transcript).empty());
}

TEST_CASE("an answer that is told again after a clear is told twice") {
  Transcript transcript(bulleted(), kUserMessage);
  show(transcript, {"> go", "", "● the same answer as ever", "  and its second line"});
  texts_of(transcript);
  transcript.screen_cleared(0);  // after the user's /clear, only the interface is drawn
  transcript.look(0, rows_of({"▐ banner", "", "", ""}), 4);
  transcript.settle_rested(2'000);
  transcript.look(2'000, rows_of({"▐ banner", "", "", ""}), 4);
  transcript.settle_rested(2'000);
  show(transcript,
       {"▐ banner", "", "> go", "", "● the same answer as ever", "  and its second line"}, 9'000);
  CHECK(texts_of(transcript) ==
        Texts{"", "go", "", "the same answer as ever", "and its second line"});
}

TEST_CASE("an answer that comes again right after a clear is told twice if a message was entered") {
  const Texts answer{
      "▐ banner", "", "> go", "", "● the same answer as ever", "  and its second line"};
  for (const bool entered : {true, false}) {
    Transcript transcript(bulleted(), kUserMessage);
    show(transcript, {"> go", "", "● the same answer as ever", "  and its second line"});
    texts_of(transcript);
    transcript.screen_cleared(0);
    transcript.look(100, rows_of({"▐ banner", "", "", ""}), 4);
    transcript.settle_rested(100);
    if (entered) transcript.message_entered();
    show(transcript, answer, 400);
    transcript.settle_rested(5'000);
    CHECK(texts_of(transcript).size() == (entered ? 5 : 0));
  }
}

TEST_CASE("a message that is entered before a cleared screen is drawn again forgets nothing") {
  Transcript transcript(bulleted(), kUserMessage);
  show(transcript, {"> go", "", "● the same answer as ever", "  and its second line"});
  texts_of(transcript);
  transcript.screen_cleared(0);
  transcript.message_entered();
  show(transcript, {"> go", "", "● the same answer as ever", "  and its second line"}, 100);
  transcript.settle_rested(5'000);
  CHECK(texts_of(transcript).empty());
}

TEST_CASE("cleared and drawn again in other widths nothing is told twice or lost") {
  const Texts rows{"● one two three four five six seven eight nine ten eleven twelve thirteen", "",
                   "  alpha beta gamma delta epsilon zeta eta theta iota kappa lambda my"};
  for (size_t first = 16; first < 90; first += 7) {
    Transcript transcript(bulleted(), kUserMessage);
    show(transcript, rewrapped(rows, first));
    std::string told;
    for (const std::string& text : texts_of(transcript)) told += words_of(text);
    for (size_t columns = 16; columns < 90; columns += 5) {
      transcript.screen_cleared(0);
      show(transcript, rewrapped(rows, columns));
      INFO(first << " then " << columns);
      CHECK(texts_of(transcript).empty());
    }
    CHECK(told == words_of(rows[0]) + words_of(rows[2]));
  }
}

TEST_CASE("what leaves the top again was drawn again without being erased") {
  Transcript transcript(bulleted(), kUserMessage);
  Terminal terminal(transcript, 6);
  terminal.append("● begin of it all");
  for (int i = 1; i < 12; ++i) terminal.append(numbered(i));
  terminal.settle();
  CHECK(texts_of(transcript).size() == 12);
  terminal.draw_over();
  terminal.append("  something new");
  terminal.settle();
  CHECK(texts_of(transcript) == Texts{"something new"});
}

TEST_CASE("a redraw that shows some rows twice tells nothing again") {
  Transcript transcript(bulleted(), kUserMessage);
  Texts rows{"● begin of it all"};
  for (int i = 1; i < 8; ++i) rows.push_back(numbered(i));
  show(transcript, rows);
  texts_of(transcript);
  transcript.screen_cleared(0);
  Texts twice = rows;
  for (int i = 5; i < 8; ++i) twice.push_back(numbered(i));
  twice.emplace_back("  and new words");
  show(transcript, twice);
  CHECK(texts_of(transcript) == Texts{"and new words"});
}

TEST_CASE("new rows that are drawn once more, whole and behind reported ones, are told once") {
  Transcript transcript(bulleted(), kUserMessage);
  const Texts rows{"● the first line of it", "  the second line of it", "  the third li"};
  show(transcript, rows, 0, 2);
  CHECK(texts_of(transcript).size() == 2);
  transcript.screen_cleared(0);
  Texts twice = rows;
  for (const char* row : {"● the first", "  line of it the", "  second line of it the third",
                          "  line of it", "  and more"}) {
    twice.emplace_back(row);
  }
  show(transcript, twice);
  CHECK(texts_of(transcript) == Texts{"the third", "line of it", "and more"});
}

TEST_CASE("words that an agent says again in a new answer are no redraw") {
  Transcript transcript(bulleted(), kUserMessage);
  show(transcript, {"● the first line of it", "  the second line of it", "  the third line of it"});
  texts_of(transcript);
  transcript.screen_cleared(0);
  const Texts answer{"● entirely other words", "  which go on for", "  some rows before",
                     "  the first line of it"};
  show(transcript, answer);
  CHECK(texts_of(transcript) == Texts{"entirely other words", "which go on for", "some rows before",
                                      "the first line of it"});
}

TEST_CASE("a redraw that is seen late is known all the same") {
  Transcript transcript(bulleted(), kUserMessage);
  show(transcript, {"● the first answer of all"});
  texts_of(transcript);
  transcript.screen_cleared(0);
  show(transcript, {"● the first answer of all"}, 1'000);
  CHECK(texts_of(transcript).empty());
}

TEST_CASE("what was told after an empty screen was cleared is known when drawn again") {
  Transcript transcript(bulleted(), kUserMessage);
  transcript.screen_cleared(0);  // nothing was told yet
  show(transcript, {"● the first answer of all"});
  CHECK(texts_of(transcript) == Texts{"the first answer of all"});
  transcript.screen_cleared(0);
  show(transcript, {"● the first answer of all"});
  CHECK(texts_of(transcript).empty());
}

TEST_CASE("the last row of a redraw is known though it rests longer") {
  Transcript transcript(bulleted(), kUserMessage);
  const Texts rows{"● the first answer of all", "  with a last row of words"};
  show(transcript, rows);
  texts_of(transcript);
  transcript.screen_cleared(0);
  for (TimeMs now = 0; now <= 6'000; now += 100) {
    transcript.look(now, rows_of(rows), rows.size());
    transcript.settle_rested(now);
  }
  CHECK(texts_of(transcript).empty());
}

TEST_CASE("words said again are told though the live part covered all before") {
  Transcript transcript(bulleted(), kUserMessage);
  const Texts rows{"● the same words again", "  the same words again"};
  transcript.look(0, rows_of(rows), 1);
  transcript.settle();
  transcript.look(0, rows_of(rows), 0);
  show(transcript, {rows[0], rows[1], "  and more"});
  CHECK(texts_of(transcript) == Texts{"the same words again", "the same words again", "and more"});
}

}  // namespace
}  // namespace orch::driver
