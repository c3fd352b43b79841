#include "mux/zellij/screen.h"

#include <catch2/catch.hpp>
#include <string>

#include "term/screen.h"

using orch::mux::zellij::drawing;

namespace {

std::string text_of(const orch::term::Screen& screen) {
  std::string text;
  for (int row = 0; row < screen.size().rows; ++row) {
    screen.append_row_text(row, text);
    text += '|';
  }
  return text;
}

}  // namespace

TEST_CASE("a dump is drawn over whatever was there") {
  orch::term::Screen screen({10, 3});
  screen.feed("xxxxxxxxxx\r\nxxxxxxxxxx\r\nxxxxxxxxxx\033[31m\033[");
  screen.feed(drawing("one\r\n\033[1mtwo\n", 3));
  CHECK(text_of(screen) == "one|two||");
  // If there are more rows than the screen has, the rest is left out.
  screen.feed(drawing("1\n2\n3\n4\n", 3));
  CHECK(text_of(screen) == "1|2|3|");
  screen.feed(drawing("", 3));
  CHECK(text_of(screen) == "|||");
}

TEST_CASE("an update has the pane's rows, and any other line has none") {
  using orch::mux::zellij::rows_of;
  CHECK(rows_of(R"({"event":"pane_update","viewport":["a","\u001b[1mb",7]})") == "a\n\033[1mb\n\n");
  CHECK(rows_of(R"({"event":"pane_update","viewport":[]})") == "");
  for (const char* line :
       {"", "x", "[]", R"({"event":"pane_closed"})", R"({"event":"pane_update","viewport":"a"})"}) {
    CHECK_FALSE(rows_of(line).has_value());
  }
}
