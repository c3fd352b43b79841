#include "driver/transcript.h"

#include <catch2/catch.hpp>

#include "transcript_rig.h"

namespace orch::driver {
namespace {

using Texts = std::vector<std::string>;

// The lines of a screen that is settled as a whole.
std::vector<Line> settled(const Texts& rows) {
  Transcript transcript(bulleted(), kUserMessage);
  transcript.settle(rows_of(rows), rows.size());
  return transcript.take();
}

TEST_CASE("rows that scroll off are told in order") {
  Transcript transcript(bulleted(), kUserMessage);
  Terminal terminal(transcript, 3);
  terminal.append("● one");
  for (const char* row : {"  two", "  three", "  four", "  five"}) terminal.append(row);
  CHECK(texts_of(transcript) == Texts{"one", "two"});
  terminal.settle();
  CHECK(texts_of(transcript) == Texts{"three", "four", "five"});
}

TEST_CASE("rows told while visible are not told again when they scroll off") {
  Transcript transcript(bulleted(), kUserMessage);
  Terminal terminal(transcript, 4);
  for (const char* row : {"● one", "  two", "  three"}) terminal.append(row);
  terminal.settle();
  CHECK(texts_of(transcript) == Texts{"one", "two", "three"});
  for (const char* row : {"  four", "  five", "  six", "  seven", "  eight"}) terminal.append(row);
  terminal.settle();
  CHECK(texts_of(transcript) == Texts{"four", "five", "six", "seven", "eight"});
}

TEST_CASE("settling the same screen again tells nothing") {
  Transcript transcript(bulleted(), kUserMessage);
  const auto rows = rows_of({"● one", "  two", "", "● three"});
  transcript.settle(rows, rows.size());
  CHECK(texts_of(transcript).size() == 4);
  transcript.settle(rows, rows.size());
  CHECK(texts_of(transcript).empty());
}

TEST_CASE("a row repainted in place is told as it settles") {
  Transcript transcript(bulleted(), kUserMessage);
  transcript.settle(rows_of({"● one", "● Bash(make)", "  ⎿  Running"}), 2);
  CHECK(texts_of(transcript) == Texts{"one", "● Bash(make)"});
  transcript.settle(rows_of({"● one", "● Bash(make)", "  ⎿  Done"}), 3);
  CHECK(texts_of(transcript) == Texts{"⎿  Done"});
}

TEST_CASE("rows that were told stay told while fewer rows count as settled") {
  Transcript transcript(bulleted(), kUserMessage);
  const auto rows = rows_of({"● one", "  two", "  three"});
  transcript.settle(rows, 3);
  CHECK(texts_of(transcript) == Texts{"one", "two", "three"});
  transcript.settle(rows, 1);  // a dialog reaches up to here
  transcript.settle(rows, 3);
  CHECK(texts_of(transcript).empty());
}

TEST_CASE("rows laid out anew in their place are known by their words") {
  Transcript transcript(bulleted(), kUserMessage);
  transcript.settle(rows_of({"● one", "  has no error", "  handling, fine", "  next"}), 4);
  CHECK(texts_of(transcript) == Texts{"one", "has no error", "handling, fine", "next"});
  transcript.settle(rows_of({"● one", "  has no error handling, fine", "  next", "  new"}), 4);
  CHECK(texts_of(transcript) == Texts{"new"});
}

TEST_CASE("lines that the agent itself repeats are all told") {
  Transcript transcript(bulleted(), kUserMessage);
  Terminal terminal(transcript, 3);
  terminal.append("● again");
  for (int i = 0; i < 6; ++i) terminal.append("  again");
  terminal.settle();
  CHECK(texts_of(transcript) == Texts(7, "again"));
}

TEST_CASE("rows wrapped by the terminal are one line") {
  Transcript transcript(bulleted(), kUserMessage);
  SECTION("when they scroll off") {
    transcript.scrolled_off({"● a long ", true});
    transcript.scrolled_off({"line that ", true});
    transcript.scrolled_off({"ends", false});
    CHECK(texts_of(transcript) == Texts{"a long line that ends"});
  }
  SECTION("when they settle on the screen") {
    transcript.settle({{"● a long ", true}, {"line", false}, {"  next", false}}, 3);
    CHECK(texts_of(transcript) == Texts{"a long line", "next"});
  }
  SECTION("when their beginning has scrolled off") {
    transcript.scrolled_off({"● a long ", true});
    CHECK(texts_of(transcript).empty());
    transcript.settle({{"line", false}, {"  next", false}}, 2);
    CHECK(texts_of(transcript) == Texts{"a long line", "next"});
  }
}

TEST_CASE("runs of blank rows are one blank line, none before the first words") {
  CHECK(settled({"", "", "● one", "", "", "", "  two", "", ""}) ==
        std::vector<Line>{{"one"}, {""}, {"two"}});
}

TEST_CASE("a blank row counts whenever its neighbours are told") {
  Transcript transcript(bulleted(), kUserMessage);
  transcript.scrolled_off({"● one", false});
  CHECK(texts_of(transcript) == Texts{"one"});
  transcript.scrolled_off({"", false});
  CHECK(texts_of(transcript).empty());
  transcript.scrolled_off({"  two", false});
  CHECK(texts_of(transcript) == Texts{"", "two"});
}

TEST_CASE("echoes of messages, notices and chrome are not told") {
  CHECK(settled({"◆ Tip: try /help", "> do it", "  all of it", "", "● Done.", "──────────",
                 "* Thinking… (3s)", "◆ note"}) == std::vector<Line>{{"Done."}});
}

TEST_CASE("markers tell the speakers apart") {
  const std::vector<Line> lines = settled(
      {"● I look.", "", "● Bash(ls)", "  ⎿  a.cc", "     b.cc", "", "● Two files:", "    a.cc"});
  CHECK(lines == std::vector<Line>{{"I look.", Speaker::kAgent},
                                   {"", Speaker::kTool},
                                   {"● Bash(ls)", Speaker::kTool},
                                   {"⎿  a.cc", Speaker::kTool},
                                   {"   b.cc", Speaker::kTool},
                                   {"", Speaker::kAgent},
                                   {"Two files:", Speaker::kAgent},
                                   {"  a.cc", Speaker::kAgent}});
}

TEST_CASE("the words after a message begin where its last row says so") {
  adapters::TranscriptSpec spec = bulleted();
  spec.user_end = "^▀{5}";
  spec.drop.emplace_back("^[▀▄]{5,}$");
  Transcript transcript(spec, kUserMessage);
  transcript.settle(rows_of({"▄▄▄▄▄▄", "> hello", "  you", "▀▀▀▀▀▀", "  Hi."}), 5);
  CHECK(texts_of(transcript) == Texts{"Hi."});
}

TEST_CASE("every row of a program without markers is its words, as it is") {
  Transcript transcript({}, "");
  transcript.settle(rows_of({"  indented", "● bullet", "", "> quoted"}), 4);
  CHECK(transcript.take() == std::vector<Line>{{"  indented"}, {"● bullet"}, {""}, {"> quoted"}});
}

TEST_CASE("what a full redraw shows again is not told again") {
  Transcript transcript(bulleted(), kUserMessage);
  Terminal terminal(transcript, 4);
  for (const char* row : {"> go", "", "● one", "  two", "", "  three", "  two", "  four"}) {
    terminal.append(row);
  }
  terminal.settle();
  CHECK(texts_of(transcript) == Texts{"one", "two", "", "three", "two", "four"});
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
  const auto wide = rows_of({"● The quick brown fox jumps over", "  the lazy dog, twice."});
  transcript.settle(wide, 2);
  CHECK(texts_of(transcript).size() == 2);
  transcript.screen_cleared();
  const auto narrow =
      rows_of({"● The quick brown", "  fox jumps over the", "  lazy dog, twice.", "  New."});
  transcript.settle(narrow, 4);
  CHECK(texts_of(transcript) == Texts{"New."});
}

TEST_CASE("of a row that a redraw shows with more words only these are told") {
  Transcript transcript(bulleted(), kUserMessage);
  transcript.settle(rows_of({"● The quick brown", "  fox jum"}), 1);
  CHECK(texts_of(transcript) == Texts{"The quick brown"});
  transcript.screen_cleared();
  transcript.settle(rows_of({"● The quick brown fox jumps over", "  the lazy dog."}), 2);
  CHECK(texts_of(transcript) == Texts{"fox jumps over", "the lazy dog."});
}

TEST_CASE("a redraw may begin in the middle of what was told") {
  Transcript transcript(bulleted(), kUserMessage);
  Terminal terminal(transcript, 4);
  for (int i = 1; i <= 20; ++i)
    terminal.append((i == 1 ? "● line number " : "  line number ") + std::to_string(i));
  terminal.settle();
  CHECK(texts_of(transcript).size() == 20);
  transcript.screen_cleared();  // only the screen is drawn anew
  transcript.settle(
      rows_of({"  line number 18", "  line number 19", "  line number 20", "  line number 21"}), 4);
  CHECK(texts_of(transcript) == Texts{"line number 21"});
}

TEST_CASE("a pattern that is not given drops nothing") {
  adapters::TranscriptSpec spec = bulleted();
  spec.drop.assign({"", "^#"});
  Transcript transcript(spec, kUserMessage);
  transcript.settle(rows_of({"● one", "# two"}), 2);
  CHECK(texts_of(transcript) == Texts{"one"});
}

TEST_CASE("a line without an end is told in pieces") {
  Transcript transcript({}, "");
  const std::string row(1000, 'x');
  size_t told = 0;
  for (int i = 0; i < 3000; ++i) {
    transcript.scrolled_off({row, true});
    for (const std::string& line : texts_of(transcript)) told += line.size();
  }
  CHECK(told >= 2'000'000);
}

TEST_CASE("what a redraw could show again is forgotten after a while") {
  Transcript transcript(bulleted(), kUserMessage);
  const auto say = [&transcript](const std::string& words) {
    transcript.scrolled_off({words, false});
    return texts_of(transcript).size();
  };
  CHECK(say("● the first line of all") == 1);
  for (int i = 0; i < 100; ++i) {
    transcript.screen_cleared();  // and something else is drawn, every time
    CHECK(say("● " + std::to_string(i) + std::string(30'000, 'x')) == 1);
  }
  transcript.screen_cleared();
  CHECK(say("● the first line of all") == 1);
}

TEST_CASE("a program that clears its screen and says the same again has said it twice") {
  Transcript transcript({}, "");
  transcript.scrolled_off({"PASS", false});
  transcript.screen_cleared();
  transcript.scrolled_off({"PASS", false});
  CHECK(texts_of(transcript) == Texts{"PASS", "PASS"});
}

}  // namespace
}  // namespace orch::driver
