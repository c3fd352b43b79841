#include "term/painted.h"

#include <catch2/catch.hpp>
#include <string_view>

#include "recording.h"
#include "term/svg.h"

namespace orch::term {
namespace {

std::vector<PaintedRun> painted(std::string_view bytes) {
  Screen screen({20, 2});
  screen.feed(bytes);
  return painted_row(screen, 0);
}

std::vector<std::string> texts(const std::vector<PaintedRun>& runs) {
  std::vector<std::string> all;
  for (const PaintedRun& run : runs) all.push_back(run.text);
  return all;
}

using Texts = std::vector<std::string>;

TEST_CASE("cells of one style are one run, up to the last that shows anything") {
  CHECK(painted("").empty());
  CHECK(painted("   \033[1m  ").empty());
  const std::vector<PaintedRun> runs = painted("a b \033[1;31mred\033[0m   ");
  REQUIRE(texts(runs) == Texts{"a b", "red"});
  CHECK(runs[0].cols == 4);
  CHECK(runs[1].col == 4);
  CHECK(runs[1].cols == 3);
  CHECK(runs[1].fg == 0xCD0000);
  CHECK(runs[1].attributes == kBold);
}

TEST_CASE("blanks that show a colour or a line are painted") {
  const std::vector<PaintedRun> coloured = painted("\033[48;2;1;2;3m   ");
  REQUIRE(coloured.size() == 1);
  CHECK(coloured[0].bg == 0x010203);
  CHECK(coloured[0].cols == 3);
  CHECK(painted("\033[4m  \033[0m ")[0].text == "  ");
}

TEST_CASE("inverse swaps the colours, hidden text is not there") {
  const std::vector<PaintedRun> inverse = painted("\033[7mx");
  CHECK(inverse[0].fg == kBackground);
  CHECK(inverse[0].bg == kForeground);
  CHECK(painted("\033[8msecret").empty());
}

TEST_CASE("a wide or a combined character is a run of its own") {
  const std::vector<PaintedRun> runs = painted("a中e\u0301b");
  REQUIRE(texts(runs) == Texts{"a", "中", "e\u0301", "b"});
  CHECK(runs[1].one_character);
  CHECK(runs[1].cols == 2);
  CHECK(runs[2].one_character);
  CHECK(runs[2].cols == 1);
  CHECK(runs[3].col == 4);
}

TEST_CASE("what is invisible or turns text around is not painted") {
  CHECK(texts(painted("a\u202eb\u2066c\u200bd")) == Texts{"a", "b", "c", "d"});
  CHECK(texts(painted("a\u00adb")).front() == "a b");
  CHECK(texts(painted("❤\ufe0f")) == Texts{"❤\ufe0f"});  // a selector for the character before it
}

TEST_CASE("runs of a row follow each other without a hole, and hold its text") {
  for (const Recording& recording : all_recordings()) {
    INFO(recording.name);
    Screen screen(recording.size);
    for (const RecordedStep& step : recording.steps) {
      step.output.empty() ? screen.resize(step.size) : screen.feed(step.output);
    }
    for (int row = 0; row < screen.size().rows; ++row) {
      int col = 0;
      for (const PaintedRun& run : painted_row(screen, row)) {
        CHECK(run.col == col);
        CHECK(run.cols > 0);
        col += run.cols;
      }
      CHECK(col <= screen.size().cols);
    }
  }
}

TEST_CASE("an SVG picture places words by their cells") {
  Screen screen({20, 1});
  screen.feed("a  <b> 中c");
  const std::string svg = render_svg(screen);
  for (const char* text : {R"(<text x="8.0" y="21.0" textLength="8.4" fill="#d3d7cf">a</text>)",
                           R"(<text x="33.2" y="21.0" textLength="25.2" fill="#d3d7cf">&lt;b&gt;<)",
                           R"(<text x="66.8" y="21.0" textLength="16.8" fill="#d3d7cf">中</text>)",
                           R"(<text x="83.6" y="21.0" textLength="8.4" fill="#d3d7cf">c</text>)"}) {
    CHECK_THAT(svg, Catch::Matchers::Contains(text));
  }
}

}  // namespace
}  // namespace orch::term
