#include "term/render.h"

#include <catch2/catch.hpp>

#include "described.h"
#include "recording.h"

namespace orch::term {
namespace {

TEST_CASE("a screen as text") {
  Screen screen({10, 3});
  screen.feed("a\033[2Cb  \r\n中");
  CHECK(render_text(screen) == "a  b\n中\n\n");
}

TEST_CASE("an ANSI redraw draws the same screen") {
  for (const Recording& recording : all_recordings()) {
    INFO(recording.name);
    Screen screen(recording.size);
    size_t step_number = 0;
    for (const RecordedStep& step : recording.steps) {
      step.output.empty() ? screen.resize(step.size) : screen.feed(step.output);
      if (++step_number % 50 != 0) continue;
      Screen drawn(screen.size());
      drawn.feed(render_ansi(screen));
      REQUIRE(rows_text(drawn) == rows_text(screen));
      REQUIRE(render_ansi(drawn) == render_ansi(screen));
    }
  }
}

TEST_CASE("a redraw of odd cells") {
  Screen screen({6, 3});
  screen.feed("\033[41m\033[K\r\ne\u0301中\033[2;6H\033[7mx\033[0;1m\r\nabcdef\033[?25l");
  Screen drawn({6, 3});
  drawn.feed(render_ansi(screen));
  CHECK(render_ansi(drawn) == render_ansi(screen));
  CHECK(rows_text(drawn) == "|e\u0301中  x|abcdef");
  CHECK_FALSE(drawn.modes().cursor_visible);
  CHECK(drawn.take_replies() == "");
}

TEST_CASE("a redraw of some rows") {
  Screen screen({6, 4});
  screen.feed("one\r\ntwo\r\nthree\r\nfour\033[3;2H");
  Screen drawn({6, 2});
  drawn.feed(render_ansi(screen, 2, 2));
  CHECK(rows_text(drawn) == "three|four");
  CHECK(drawn.cursor_row() == 0);
  CHECK(drawn.cursor_col() == 1);
  CHECK(drawn.modes().cursor_visible);
  for (const int first : {0, 3}) {
    drawn.feed(render_ansi(screen, first, 1));
    CHECK_FALSE(drawn.modes().cursor_visible);
  }
}

}  // namespace
}  // namespace orch::term
