#include "ui/canvas.h"

#include <catch2/catch.hpp>
#include <string>

namespace orch::ui {
namespace {

// The text of a row; '<' stands for the second cell of a wide character.
std::string row_of(const Canvas& canvas, int row) {
  std::string out;
  for (int col = 0; col < canvas.size().cols; ++col) {
    const Glyph& glyph = canvas.cell(row, col).glyph;
    out += glyph.width == 0 ? "<" : glyph.text;
  }
  return out;
}

TEST_CASE("text on a canvas is cut at its width and at the edges") {
  struct Row {
    const char* text;
    int col, width;
    const char* row;
    int next;
  };
  const Row rows[] = {
      {"abc", 1, Canvas::kToTheEdge, " abc    ", 4},
      {"abcdefghijkl", 1, Canvas::kToTheEdge, " abcdefg", 8},
      {"abcdef", 1, 3, " abc    ", 4},
      {"中文字", 0, 5, "中<文<    ", 4},
      {"中文字", 3, Canvas::kToTheEdge, "   中<文< ", 9},
      {"e\u0301x", 0, 1, "e\u0301       ", 1},
      {"👩\u200D💻x", 0, 3, "👩\u200D💻<x     ", 3},
      {"👍🏻x", 0, 3, "👍🏻<x     ", 3},
      {"abc", 9, Canvas::kToTheEdge, "        ", 9},
      {"abc", -2, Canvas::kToTheEdge, "c       ", 1},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    Canvas canvas({8, 1});
    CHECK(canvas.put(0, row.col, row.text, {}, row.width) == row.next);
    CHECK(row_of(canvas, 0) == row.row);
    CHECK(canvas.put(1, 0, row.text, {}) > 0);  // it is outside of the canvas, so nothing is drawn
    CHECK(row_of(canvas, 0) == row.row);
  }
}

TEST_CASE("nothing that acts on a terminal gets onto a canvas") {
  Canvas canvas({60, 1});
  canvas.put(0, 0,
             "a\033[2Jb\x07\u009b"
             "c\u202Ed\te\nf\xff\u0301\u200B🏻!\u200D",
             {});
  CHECK(row_of(canvas, 0).starts_with(
      "a\uFFFD[2Jb\uFFFD\uFFFDc\\u{202e}d e f\uFFFD\u0301\\u{200b}\uFFFD!\\u{200d}  "));
}

TEST_CASE("a wide character that is overwritten in part leaves a space") {
  Canvas canvas({6, 1});
  canvas.put(0, 0, "中文", {});
  canvas.put(0, 1, "x", {});
  CHECK(row_of(canvas, 0) == " x文<  ");
  canvas.put(0, 2, "y", {});
  CHECK(row_of(canvas, 0) == " xy   ");
  canvas.put(0, 1, "界", {});
  CHECK(row_of(canvas, 0) == " 界<   ");
}

TEST_CASE("text that fits and text that does not") {
  struct Row {
    const char* text;
    int columns;
    const char* fitted;
  };
  const Row rows[] = {{"abc", 3, "abc"},  {"abcd", 3, "ab…"},   {"中文", 4, "中文"},
                      {"中文", 3, "中…"}, {"中文字", 4, "中…"}, {"abc", 1, "…"},
                      {"abc", 0, ""},     {"", 3, ""}};
  for (const Row& row : rows) {
    INFO(row.text);
    CHECK(fitted(row.text, row.columns) == row.fitted);
    CHECK(columns_of(fitted(row.text, row.columns)) <= row.columns);
  }
}

TEST_CASE("an emoji of a screen that only some terminals draw wide is narrow on a canvas") {
  term::Screen screen({16, 1});
  screen.feed("☝🏻❤\uFE0F🕵\uFE0F\u200D♂\uFE0F🇩🇪👩\u200D⚕\uFE0Fx");
  Canvas canvas({16, 1});
  canvas.draw(screen, {.row = 0, .col = 0, .rows = 1, .cols = 16}, 0, 0);
  CHECK(row_of(canvas, 0).starts_with("☝ ❤ 🕵\u200D♂<🇩🇪<👩\u200D⚕\uFE0F<x "));
}

TEST_CASE("part of a screen on a canvas") {
  term::Screen screen({6, 3});
  screen.feed("ab中cd\r\n\033[1mx\u202Ey\033[m 中z\r\nlast");
  Canvas canvas({5, 3});
  canvas.draw(screen, {.row = 0, .col = 0, .rows = 9, .cols = 9}, 0, 0);
  CHECK(row_of(canvas, 0) == "ab中<c");
  CHECK(row_of(canvas, 1) == "xy 中<");
  CHECK(canvas.cell(1, 0).style.attributes == term::kBold);
  canvas.draw(screen, {.row = 0, .col = 3, .rows = 1, .cols = 2}, 2, 1);
  CHECK(row_of(canvas, 2) == "l ct ");
  canvas.draw(screen, {.row = 0, .col = 0, .rows = 1, .cols = 3}, 2, 2);
  CHECK(row_of(canvas, 2) == "l ab ");
  Canvas larger({8, 4});
  larger.draw(screen, {.row = 0, .col = 0, .rows = 4, .cols = 8}, 1, 1);
  CHECK(row_of(larger, 1) == " ab中<cd ");
}

}  // namespace
}  // namespace orch::ui
