#include "demo/painter.h"

#include <catch2/catch.hpp>
#include <random>

#include "term/screen.h"

using namespace orch::demo;
namespace term = orch::term;

namespace {

class Collector : public term::ScrollSink {
 public:
  void on_scrolled_off(const term::Screen& screen, const term::RowView& row) override {
    lines.emplace_back();
    screen.append_text(row, lines.back());
  }
  void on_scrollback_cleared() override { FAIL("the scrollback is the user's"); }
  std::vector<std::string> lines;
};

std::string text_of(const Line& line) {
  std::string text;
  for (const Run& run : line) text += run.text;
  return text;
}

// The last rows of the document as a screen of that many rows shows them.
std::vector<std::string> bottom(const std::vector<Line>& document, size_t rows) {
  std::vector<std::string> out;
  const size_t first = document.size() - std::min(rows, document.size());
  for (size_t i = first; i < document.size(); ++i) out.push_back(text_of(document[i]));
  out.resize(rows);
  return out;
}

std::vector<std::string> shown(const term::Screen& screen) {
  std::vector<std::string> out;
  for (int i = 0; i < screen.size().rows; ++i) {
    out.emplace_back();
    screen.append_row_text(i, out.back());
  }
  return out;
}

Line random_line(std::mt19937& random, int width) {
  static const std::vector<std::string> kWords{"a", "bc",   "日本", "e\u0301",
                                               "─", "word", "x 漢", "🚀"};
  Line line;
  while (random() % 5 != 0) {
    const std::string word = kWords[random() % kWords.size()] + (random() % 2 == 0 ? " z" : "q");
    if (columns_of(text_of(line)) + columns_of(word) > width) break;
    line.push_back({static_cast<Ink>(random() % 8), word});
  }
  return line;
}

}  // namespace

TEST_CASE("whatever is painted over whatever, the screen shows the document's end") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    const int cols = 3 + static_cast<int>(random() % 30),
              rows = 1 + static_cast<int>(random() % 12);
    term::Screen screen({cols, rows});
    Painter painter(cols, rows);
    std::vector<Line> document;
    for (int frame = 0; frame < 40; ++frame) {
      const size_t length = 1 + random() % 16;
      // Rows that have scrolled off are not painted again, so only the end of the document may
      // change.
      document.resize(std::min(document.size(), length));
      while (document.size() < length) document.push_back(random_line(random, cols));
      const size_t visible = std::min<size_t>(length, static_cast<size_t>(rows));
      document[length - 1 - random() % visible] = random_line(random, cols);
      std::string bytes;
      painter.paint({}, document, {document.size() - 1, 0}, bytes);
      screen.feed(bytes);
      INFO("seed " << seed << " frame " << frame);
      REQUIRE(shown(screen) == bottom(document, static_cast<size_t>(rows)));
    }
  }
}

TEST_CASE("a growing document enters the scrollback row by row, each once") {
  term::Screen screen({20, 5});
  Collector collector;
  screen.set_scroll_sink(&collector);
  Painter painter(20, 5);
  std::vector<Line> settled;
  std::vector<std::string> expected;
  for (int n = 0; n < 200; ++n) {
    for (int i = 0; i <= n % 9; ++i) {
      expected.push_back("row " + std::to_string(expected.size()));
      settled.push_back({{Ink::kDim, expected.back()}});
    }
    std::string bytes;
    painter.paint(settled, {{{Ink::kAccent, "box"}}, {}}, {0, 1}, bytes);
    screen.feed(bytes);
  }
  // The box and the free row below it take two of the five rows.
  expected.resize(expected.size() - 3);
  CHECK(collector.lines == expected);
  CHECK(screen.cursor_row() == 3);
  CHECK(screen.cursor_col() == 1);
}

TEST_CASE("a frame writes changed cells only and reaches words by column") {
  Painter painter(40, 5);
  std::string first, second, third;
  painter.paint({}, {{{Ink::kPlain, "the quick brown fox"}}}, {}, first);
  CHECK(first ==
        "the\x1b[5Gquick\x1b[11G"
        "brown\x1b[17G"
        "fox\r");
  painter.paint({}, {{{Ink::kPlain, "the quiet brown fox"}}}, {}, second);
  CHECK(second ==
        "\x1b[8G"
        "et\r");
  painter.paint({}, {{{Ink::kPlain, "the quiet brown fox"}}}, {}, third);
  CHECK(third.empty());
}

TEST_CASE("frames are wrapped in mode 2026 once the terminal is known to have it") {
  Painter painter(40, 5);
  std::string plain, wrapped;
  painter.paint({}, {{{Ink::kPlain, "a"}}}, {}, plain);
  painter.synchronize();
  painter.paint({}, {{{Ink::kPlain, "b"}}}, {}, wrapped);
  CHECK(plain == "a\r");
  CHECK(wrapped == "\x1b[?2026hb\r\x1b[?2026l");
}

TEST_CASE("after a resize the document's last rows are written anew") {
  term::Screen screen({20, 6});
  Painter painter(20, 6);
  std::vector<Line> document;
  for (int i = 0; i < 10; ++i) document.push_back({{Ink::kPlain, "row " + std::to_string(i)}});
  std::string bytes;
  painter.paint({}, document, {document.size() - 1, 0}, bytes);
  screen.feed(bytes);
  for (const term::Size size : {term::Size{12, 4}, term::Size{30, 14}}) {
    screen.resize(size);
    painter.resize(size.cols, size.rows);
    bytes.clear();
    painter.paint({}, document, {document.size() - 1, 0}, bytes);
    screen.feed(bytes);
    CHECK(shown(screen) == bottom(document, static_cast<size_t>(size.rows)));
  }
}
