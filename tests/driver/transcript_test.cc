#include "driver/transcript.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>

#include "transcript_rig.h"

namespace orch::driver {
namespace {

using Texts = std::vector<std::string>;

// The lines that were told since the last call, without `continues`, which has its own tests.
std::vector<Line> take(Transcript& transcript) {
  std::vector<Line> lines = transcript.take();
  for (Line& line : lines) line.continues = false;
  return lines;
}

// The lines of a screen on which everything is settled.
std::vector<Line> settled(const Texts& rows) {
  Transcript transcript(bulleted(), kUserMessage);
  show(transcript, rows);
  transcript.finish();
  return take(transcript);
}

TEST_CASE("transcripts of one agent share what tells its speakers") {
  const auto speakers = std::make_shared<const Speakers>(bulleted(), kUserMessage);
  Transcript one(speakers), other(speakers);
  CHECK(speakers.use_count() == 3);
  show(one, {"● one"});
  show(other, {"● other"});
  one.finish();
  other.finish();
  CHECK(texts_of(one) == Texts{"one"});
  CHECK(texts_of(other) == Texts{"other"});
}

// Rows of which those that begin with "  Read" or "  Ran" are grey, and a tool's.
std::vector<ScreenRow> with_grey_rows(const Texts& texts) {
  std::vector<ScreenRow> rows;
  for (const std::string& text : texts) {
    const bool grey = text.starts_with("  Read") || text.starts_with("  Ran");
    rows.push_back({text, false, grey ? Ink::kGrey : Ink::kPlain});
  }
  return rows;
}

adapters::TranscriptSpec with_grey_tool() {
  adapters::TranscriptSpec spec = bulleted();
  spec.grey_tool = "^  \\S";
  return spec;
}

TEST_CASE("a grey row is a tool's, on the screen and when it scrolls off") {
  const Texts rows{"● one", "", "  two", "", "  Read 1 file", "", "● three"};
  const std::vector<Line> right{{"one", Speaker::kAgent},        {"", Speaker::kAgent},
                                {"two", Speaker::kAgent},        {"", Speaker::kTool},
                                {"Read 1 file", Speaker::kTool}, {"", Speaker::kAgent},
                                {"three", Speaker::kAgent}};
  Transcript shown(with_grey_tool(), kUserMessage);
  shown.look(0, ListedRows(with_grey_rows(rows)), rows.size());
  shown.finish();
  CHECK(take(shown) == right);
  Transcript scrolled(with_grey_tool(), kUserMessage);
  for (const ScreenRow& row : with_grey_rows(rows)) scroll_off(scrolled, row);
  scrolled.finish();
  CHECK(take(scrolled) == right);
}

TEST_CASE("a row whose text stays is read again when its ink changes") {
  Transcript transcript(with_grey_tool(), kUserMessage);
  ScreenRow row{"  Done 1 thing", false, Ink::kPlain};
  transcript.look(0, ListedRows({{"● one"}, {""}, row}), 3);
  transcript.settle_followed();
  row.ink = Ink::kGrey;
  transcript.look(100, ListedRows({{"● one"}, {""}, row}), 3);
  transcript.finish();
  CHECK(take(transcript).back() == Line{"Done 1 thing", Speaker::kTool});
}

TEST_CASE("the row above what hangs is a tool's, also when the screen is left in the middle") {
  adapters::TranscriptSpec spec = bulleted();
  spec.hangs = "^  ⎿";
  Transcript transcript(spec, kUserMessage);
  const Texts rows{"● Now I print.", "",       "  Printing", "  ⎿  $ echo x", "",
                   "  More of it",   "  said."};
  show(transcript, rows);
  transcript.finish();
  const std::vector<Line> lines = take(transcript);
  REQUIRE(lines.size() == 7);
  CHECK(lines[2] == Line{"Printing", Speaker::kTool});
  CHECK(lines[0].speaker == Speaker::kAgent);
}

TEST_CASE("a notice that hangs below words makes no call of them") {
  adapters::TranscriptSpec spec = bulleted();
  spec.hangs = "^  ⎿";
  spec.notice = "^  ⎿  Interrupted";
  Transcript transcript(spec, kUserMessage);
  show(transcript, {"● It begins.", "", "  And so on.", "  ⎿  Interrupted"});
  transcript.finish();
  CHECK(take(transcript) == std::vector<Line>{{"It begins.", Speaker::kAgent},
                                              {"", Speaker::kAgent},
                                              {"And so on.", Speaker::kAgent},
                                              {"⎿  Interrupted", Speaker::kNotice}});
}

TEST_CASE("rows at the margin of words are words, also after a jump from a tool's rows") {
  adapters::TranscriptSpec spec = bulleted();
  spec.words = "^  \\S";
  Transcript transcript(spec, kUserMessage);
  const Texts tool{"● Bash(ls)", "  ⎿  a.cc", "     b.cc"};
  const Texts words{"  and the words go on here,", "  which began unseen.", "> next"};
  transcript.look(0, rows_of(tool), tool.size(), true);
  transcript.settle();
  transcript.look(5'000, rows_of(words), words.size(), true);
  transcript.finish();
  std::vector<Line> lines = take(transcript);
  REQUIRE(lines.size() >= 3);
  CHECK(lines[2] == Line{"   b.cc", Speaker::kTool});
  CHECK(std::count(lines.begin(), lines.end(), Line{"which began unseen.", Speaker::kAgent}) == 1);
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
  const Texts rows{"● one", "  two", "", "● three"};
  show(transcript, rows);
  CHECK(texts_of(transcript).size() == 4);
  show(transcript, rows);
  CHECK(texts_of(transcript).empty());
}

TEST_CASE("a row repainted in place is told as it settles") {
  Transcript transcript(bulleted(), kUserMessage);
  show(transcript, {"● one", "● Bash(make)", "  ⎿  Running"}, 0, 2);
  CHECK(texts_of(transcript) == Texts{"one", "● Bash(make)"});
  show(transcript, {"● one", "● Bash(make)", "  ⎿  Done"});
  CHECK(texts_of(transcript) == Texts{"⎿  Done"});
}

TEST_CASE("rows that were told stay told while fewer rows count as settled") {
  Transcript transcript(bulleted(), kUserMessage);
  const Texts rows{"● one", "  two", "  three"};
  show(transcript, rows);
  CHECK(texts_of(transcript) == Texts{"one", "two", "three"});
  show(transcript, rows, 0, 1);  // a dialog covers the rows from here on
  show(transcript, rows);
  CHECK(texts_of(transcript).empty());
}

TEST_CASE("rows laid out anew in their place are known by their words") {
  Transcript transcript(bulleted(), kUserMessage);
  show(transcript, {"● one", "  has no error", "  handling, fine", "  next"});
  CHECK(texts_of(transcript) == Texts{"one", "has no error", "handling, fine", "next"});
  show(transcript, {"● one", "  has no error handling, fine", "  next", "  new"});
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
    scroll_off(transcript, {"● a long ", true});
    scroll_off(transcript, {"line that ", true});
    scroll_off(transcript, {"ends", false});
    CHECK(texts_of(transcript) == Texts{"a long line that ends"});
  }
  SECTION("when they settle on the screen") {
    transcript.look(0, ListedRows({{"● a long ", true}, {"line", false}, {"  next", false}}), 3);
    transcript.settle();
    CHECK(texts_of(transcript) == Texts{"a long line", "next"});
  }
  SECTION("when their beginning has scrolled off") {
    scroll_off(transcript, {"● a long ", true});
    CHECK(texts_of(transcript).empty());
    transcript.look(0, ListedRows({{"line", false}, {"  next", false}}), 2);
    transcript.settle();
    CHECK(texts_of(transcript) == Texts{"a long line", "next"});
  }
}

TEST_CASE("runs of blank rows are one blank line, none before the first words") {
  CHECK(settled({"", "", "● one", "", "", "", "  two", "", ""}) ==
        std::vector<Line>{{"one"}, {""}, {"two"}});
}

TEST_CASE("a blank row counts whenever its neighbours are told") {
  Transcript transcript(bulleted(), kUserMessage);
  scroll_off(transcript, {"● one", false});
  CHECK(texts_of(transcript) == Texts{"one"});
  scroll_off(transcript, {"", false});
  CHECK(texts_of(transcript).empty());
  scroll_off(transcript, {"  two", false});
  CHECK(texts_of(transcript) == Texts{"", "two"});
}

TEST_CASE("echoes of messages and notices are told, the interface never is") {
  CHECK(settled({"▐ Tip: try /help", "> do it", "  all of it", "", "● Done.", "──────────",
                 "* Thinking… (3s)", "◆ note"}) == std::vector<Line>{{"do it", Speaker::kUser},
                                                                     {"all of it", Speaker::kUser},
                                                                     {"", Speaker::kUser},
                                                                     {"Done.", Speaker::kAgent},
                                                                     {"◆ note", Speaker::kNotice}});
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

TEST_CASE("every row of a program without markers is its words, as it is") {
  Transcript transcript({}, "");
  show(transcript, {"  indented", "● bullet", "", "> quoted"});
  CHECK(take(transcript) == std::vector<Line>{{"  indented"}, {"● bullet"}, {""}, {"> quoted"}});
}

TEST_CASE("a line without an end is told in pieces") {
  Transcript transcript({}, "");
  const std::string row(1000, 'x');
  size_t told = 0;
  for (int i = 0; i < 3000; ++i) {
    scroll_off(transcript, {row, true});
    for (const std::string& line : texts_of(transcript)) told += line.size();
  }
  CHECK(told >= 2'000'000);
}

TEST_CASE("a program that clears its screen and says the same again has said it twice") {
  Transcript transcript({}, "");
  scroll_off(transcript, {"PASS", false});
  transcript.screen_cleared(0);
  scroll_off(transcript, {"PASS", false});
  CHECK(texts_of(transcript) == Texts{"PASS", "PASS"});
}

TEST_CASE("a tool at the end may change until something follows it") {
  Transcript transcript(bulleted(), kUserMessage);
  const Texts tool{"● I look.", "", "● Bash(ls)", "  ⎿  a.cc"};
  transcript.look(0, rows_of(tool), 4);
  transcript.settle_rested(60'000);
  CHECK(texts_of(transcript) == Texts{"I look."});
  SECTION("words follow") {
    Texts rows = tool;
    rows.insert(rows.end(), {"", "● One file."});
    transcript.look(60'000, rows_of(rows), rows.size());
    transcript.settle_rested(60'000);
    CHECK(texts_of(transcript) == Texts{"", "● Bash(ls)", "⎿  a.cc"});
    transcript.settle_rested(60'700);
    CHECK(texts_of(transcript) == Texts{"", "One file."});
  }
  SECTION("the turn ends") {
    transcript.settle();
    CHECK(texts_of(transcript) == Texts{"", "● Bash(ls)", "⎿  a.cc"});
  }
  SECTION("it waits to be allowed") {
    transcript.settle_before_tool();
    CHECK(texts_of(transcript).empty());
  }
}

TEST_CASE("a tool that is under way holds back what follows it") {
  Transcript transcript(bulleted(), kUserMessage);
  transcript.look(0, rows_of({"● I look.", "", "● Bash(ls)", "  ⎿  Running", "", "● Meanwhile."}),
                  6);
  transcript.settle_rested(60'000);
  CHECK(texts_of(transcript) == Texts{"I look."});
  transcript.look(60'000, rows_of({"● I look.", "", "● Bash(ls)", "  ⎿  a.cc", "", "● Meanwhile."}),
                  6);
  transcript.settle_rested(60'700);
  CHECK(texts_of(transcript) == Texts{"", "● Bash(ls)", "⎿  a.cc", "", "Meanwhile."});
}

TEST_CASE("the last row rests longer, unless it ends a sentence") {
  for (const bool ends : {false, true}) {
    Transcript transcript(bulleted(), kUserMessage);
    const std::string last = ends ? "  two." : "  two";
    transcript.look(0, rows_of({"● one", last}), 2);
    CHECK(transcript.settle_rested(699) == 700);
    CHECK(texts_of(transcript).empty());
    CHECK(transcript.settle_rested(700) == (ends ? base::kNever : 3'000));
    CHECK(texts_of(transcript) == (ends ? Texts{"one", "two."} : Texts{"one"}));
    transcript.settle_rested(2'999);
    CHECK(texts_of(transcript).empty());
    CHECK(transcript.settle_rested(3'000) == base::kNever);
    CHECK(texts_of(transcript) == (ends ? Texts{} : Texts{"two"}));
  }
}

TEST_CASE("rest is counted by what a row says, not by where it stands") {
  Transcript transcript(bulleted(), kUserMessage);
  transcript.look(0, rows_of({"● one", "  two."}), 2);
  transcript.look(600, rows_of({"▐ banner", "● one", "  two."}), 3);
  transcript.settle_rested(700);
  CHECK(texts_of(transcript) == Texts{"one", "two."});
}

TEST_CASE("a row that changes holds back those under it") {
  Transcript transcript(bulleted(), kUserMessage);
  transcript.look(0, rows_of({"● count 1", "  two.", "  three."}), 3);
  transcript.look(600, rows_of({"● count 2", "  two.", "  three."}), 3);
  CHECK(transcript.settle_rested(700) == 1'300);
  CHECK(texts_of(transcript).empty());
  transcript.settle_rested(1'300);
  CHECK(texts_of(transcript) == Texts{"count 2", "two.", "three."});
}

TEST_CASE("a program's rows are told when they have stood for 100 ms") {
  Transcript transcript({}, "");
  transcript.look(0, rows_of({"one", "two", "$ "}), 2);
  CHECK(transcript.settle_rested(99) == 100);
  CHECK(texts_of(transcript).empty());
  CHECK(transcript.settle_rested(100) == base::kNever);
  CHECK(texts_of(transcript) == Texts{"one", "two"});
}

TEST_CASE("of a row that was told and grew only what is new is told") {
  Transcript transcript(bulleted(), kUserMessage);
  show(transcript, {"● one", "  The quick brown"});
  CHECK(texts_of(transcript) == Texts{"one", "The quick brown"});
  show(transcript, {"● one", "  The quick brown fox", "  jumps."});
  CHECK(texts_of(transcript) == Texts{"fox", "jumps."});
  show(transcript, {"● one", "  The quick brown fox", "  jumps. Twice."});
  CHECK(texts_of(transcript) == Texts{"Twice."});
}

// Whether the last of these rows, on a screen of 30 columns, may continue the line before.
bool continues(const Texts& rows) {
  Transcript transcript(bulleted(), kUserMessage);
  transcript.set_columns(30);
  show(transcript, rows);
  const std::vector<Line> lines = transcript.take();
  REQUIRE_FALSE(lines.empty());
  return lines.back().continues;
}

TEST_CASE("a line may go on from the one before where its first word had no room there") {
  CHECK(continues({"● twenty columns of ..", "  words"}));
  CHECK_FALSE(continues({"● twelve col", "  words"}));
  // 30 columns, less 19 and a margin of 5, leave 6: room for a blank and five characters.
  CHECK_FALSE(continues({"● 34567890123456789", "  words"}));
  CHECK(continues({"● 345678901234567890", "  words"}));
  CHECK(continues({"● 34567890123456789", "  words. And more"}));
  CHECK_FALSE(continues({"● twenty columns of ..", "", "  words"}));
  // Columns are counted, not bytes.
  CHECK_FALSE(continues({"● äöüäöüäöüäöüäöü", "  words"}));
  CHECK(continues({"● 世界世界世界世界世界", "  words"}));
  CHECK(continues({"● 世界世界世界世界", "  世界世界"}));
}

TEST_CASE("the first line of all goes on from none") { CHECK_FALSE(continues({"● words"})); }

TEST_CASE("rows that a repaint leaves behind are not told where an agent is known to smear") {
  adapters::TranscriptSpec spec = bulleted();
  const Texts rows{"● one", "  The", "  The quick", "  The quick brown fox."};
  SECTION("it is") {
    spec.smears = true;
    Transcript transcript(spec, kUserMessage);
    show(transcript, rows);
    CHECK(texts_of(transcript) == Texts{"one", "The quick brown fox."});
  }
  SECTION("it is not") {
    Transcript transcript(spec, kUserMessage);
    show(transcript, rows);
    CHECK(texts_of(transcript) == Texts{"one", "The", "The quick", "The quick brown fox."});
  }
}

TEST_CASE("an agent that smears may repeat itself after a blank row") {
  adapters::TranscriptSpec spec = bulleted();
  spec.smears = true;
  Transcript transcript(spec, kUserMessage);
  show(transcript, {"● again", "", "  again", "", "  again and more"});
  CHECK(texts_of(transcript) == Texts{"again", "", "again and more"});
}

TEST_CASE("what an agent that smears said last is not held back at a dialog") {
  adapters::TranscriptSpec spec = bulleted();
  spec.smears = true;
  Transcript transcript(spec, kUserMessage);
  transcript.look(0, rows_of({"● one."}), 1);
  CHECK(texts_of(transcript).empty());
  transcript.settle_before_tool();
  CHECK(texts_of(transcript) == Texts{"one."});
}

TEST_CASE("what an agent that smears said last is not held back at the end of a turn") {
  adapters::TranscriptSpec spec = bulleted();
  spec.smears = true;
  Transcript transcript(spec, kUserMessage);
  transcript.look(0, rows_of({"● one."}), 1);
  transcript.settle_rested(60'000);
  transcript.settle();
  CHECK(texts_of(transcript) == Texts{"one."});
}

}  // namespace
}  // namespace orch::driver
