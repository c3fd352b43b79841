#include "mux/tmux/snapshot.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "term/screen.h"

using namespace orch::mux::tmux;

namespace {

// The answer of tmux for a pane of 20x5 with this state line and these rows.
std::vector<Block> answer(const std::string& state, std::vector<std::string> rows,
                          std::vector<std::string> pending = {}) {
  return {{true, true, {state}}, {true, true, std::move(rows)}, {true, true, std::move(pending)}};
}

std::string row_text(const orch::term::Screen& screen, int row) {
  std::string text;
  screen.append_row_text(row, text);
  return text;
}

const std::string kPlain = "0 3 1 1 0 0 0 1 0 0 0 0 0 0 4 1 a title";

}  // namespace

TEST_CASE("a snapshot is asked for in one line") {
  const std::string command = snapshot_command("%0");
  CHECK(command.find('\n') == std::string::npos);
  CHECK(command.starts_with("display-message -p -t \"\\0450\" "));
  CHECK(command.find(" ; capture-pane -e -p -t ") != std::string::npos);
  CHECK(command.find(" ; capture-pane -p -P -t ") != std::string::npos);
}

TEST_CASE("a snapshot draws rows, cursor, title and modes over whatever was there") {
  orch::term::Screen screen({20, 5});
  screen.feed("old\033[?1049h\033[2;3r\033[?6h\033[4h\033[31mred\033]2;never ended");
  screen.feed(drawing(answer(kPlain, {"one", "\033[1mtwo\033[0m", "", "", "five"})));
  CHECK(row_text(screen, 0) == "one");
  CHECK(row_text(screen, 1) == "two");
  CHECK(row_text(screen, 4) == "five");
  CHECK(screen.cursor_col() == 3);
  CHECK(screen.cursor_row() == 1);
  CHECK(screen.title() == "a title");
  CHECK_FALSE(screen.modes().application_cursor);
  screen.feed("!");
  CHECK(row_text(screen, 1) == "two!");
}

TEST_CASE("a snapshot sets what tmux tells and leaves what it does not") {
  orch::term::Screen screen({20, 5});
  screen.feed("\033[?2004h");
  screen.feed(drawing(answer("1 0 0 0 0 1 0 1 0 0 0 1 1 0 4 1 ", {"x"}, {"\033[3"})));
  CHECK(screen.modes().application_cursor);
  CHECK(screen.modes().bracketed_paste);
  CHECK_FALSE(screen.modes().cursor_visible);
  screen.feed("2mgreen");  // the rest of the sequence that was pending
  CHECK(row_text(screen, 0) == "green");
}

TEST_CASE("an answer that is not what was asked for draws nothing") {
  CHECK(drawing({}).empty());
  CHECK(drawing(std::vector<Block>{{false, true, {"can't find pane: %0"}}}).empty());
  CHECK(drawing(answer("0 3", {})).empty());
  CHECK(drawing(answer("0 3 x 1 0 0 0 1 0 0 0 0 0 0 4 t", {})).empty());
}
