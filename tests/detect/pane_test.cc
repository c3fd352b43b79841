#include "detect/pane.h"

#include <catch2/catch.hpp>
#include <string>

#include "base/pattern.h"
#include "detect/rows.h"

namespace orch::detect {
namespace {

constexpr int kRows = 10, kColumns = 60;

// A screen with words in each row, and a bar over the first `bars` of them.
struct Drawn {
  Drawn(int column, int bars, const std::string& mode = "\x1b[?1049h") {
    screen.feed(mode);
    for (int row = 1; row <= kRows; ++row) {
      const std::string at = "\x1b[" + std::to_string(row) + ";";
      screen.feed(at + "1Hwords " + std::to_string(row));
      if (row <= bars) screen.feed(at + std::to_string(column + 1) + "H│ changed");
    }
    rows.refresh(screen, PatternSet());
  }
  term::Screen screen{{kColumns, kRows}};
  Rows rows;
};

TEST_CASE("a bar from the top down over half of the screen cuts a pane off") {
  const Drawn drawn(40, kRows / 2 + 1);
  CHECK(pane_edge(drawn.screen) == 40);
  CHECK(drawn.rows[0].text == "words 1");
  CHECK(left_of(drawn.screen.row(0), 40).codes.size() == 40);
  // This row is as wide as the screen.
  CHECK(left_of(drawn.screen.row(kRows - 1), 40).codes.size() == kColumns);
}

TEST_CASE("a bar that is shorter, on the left or on the main screen is no pane's") {
  CHECK(pane_edge(Drawn(40, kRows / 2).screen) == kColumns);
  CHECK(pane_edge(Drawn(15, kRows).screen) == kColumns);
  const Drawn on_main(40, kRows, "\x1b[?1049l");
  CHECK(pane_edge(on_main.screen) == kColumns);
  CHECK(on_main.rows[0].text.ends_with("│ changed"));
}

TEST_CASE("a scroll bar in the last column is no text, wherever its thumb stands") {
  Drawn drawn(kColumns - 1, 0);
  const auto draw = [&drawn](int row, int column, const std::string& sign) {
    drawn.screen.feed("\x1b[" + std::to_string(row) + ";" + std::to_string(column) + "H" + sign);
  };
  for (int row = 1; row < kRows; ++row) draw(row, kColumns, row < 3 || row > 7 ? "│" : "█");
  drawn.rows.refresh(drawn.screen, PatternSet());
  CHECK(pane_edge(drawn.screen) == kColumns - 1);
  for (const int row : {0, 2, 7}) CHECK(drawn.rows[row].text == "words " + std::to_string(row + 1));
  // Elsewhere such a sign is a picture.
  draw(1, kColumns - 9, "█");
  drawn.rows.refresh(drawn.screen, PatternSet());
  CHECK(drawn.rows[0].text.ends_with("█"));
}

TEST_CASE("rows are read anew when a pane opens or closes") {
  Drawn drawn(40, kRows);
  CHECK(drawn.rows[kRows - 1].text == "words 10");
  drawn.screen.feed("\x1b[1;41H\x1b[K");  // the rows below stay as they are
  CHECK(drawn.rows.refresh(drawn.screen, PatternSet()));
  CHECK(drawn.rows[0].text == "words 1");
  CHECK(drawn.rows[kRows - 1].text.ends_with("│ changed"));
}

}  // namespace
}  // namespace orch::detect
