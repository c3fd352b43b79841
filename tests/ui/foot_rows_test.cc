#include "ui/foot_rows.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "term/render.h"
#include "term/screen.h"

namespace orch::ui {
namespace {

using Rows = std::vector<std::string>;

// What a terminal shows that gets these bytes; a line feed begins a row in the first column there.
class Terminal {
 public:
  explicit Terminal(term::Size size) : screen_(size) {}
  void take(std::string_view bytes) {
    for (const char c : bytes) {
      if (c == '\n') screen_.feed("\r");
      screen_.feed(std::string_view(&c, 1));
    }
  }
  Rows rows() const {
    Rows rows;
    for (int row = 0; row < screen_.size().rows; ++row) {
      screen_.append_row_text(row, rows.emplace_back());
    }
    while (!rows.empty() && rows.back().empty()) rows.pop_back();
    return rows;
  }

 private:
  term::Screen screen_;
};

}  // namespace

TEST_CASE("Rows that are the same cost nothing, and of others only those that differ are written") {
  FootRows foot;
  foot.show({"one", "two", "three"}, "", 20);
  CHECK(foot.show({"one", "two", "three"}, "", 20).empty());
  const std::string bytes = foot.show({"one", "2", "three"}, "", 20);
  CHECK(bytes == "\x1b[?2026h\x1b[A\r\x1b[K2\x1b[B\x1b[?2026l");
}

TEST_CASE("What is printed stands above the rows, in one frame with them") {
  FootRows foot;
  Terminal terminal({20, 8});
  terminal.take(foot.show({"a", "b"}, "", 20));
  const std::string bytes = foot.show({"a", "b"}, "words\nmore\n", 20);
  CHECK(bytes.starts_with("\x1b[?2026h"));
  CHECK(bytes.ends_with("\x1b[?2026l"));
  terminal.take(bytes);
  CHECK(terminal.rows() == Rows{"words", "more", "a", "b"});
  terminal.take(foot.erase(20));
  CHECK(terminal.rows() == Rows{"words", "more"});
  CHECK_FALSE(foot.shown());
  CHECK(foot.erase(20).empty());
}

TEST_CASE("However rows come and go, the terminal shows what was printed and the last rows") {
  std::mt19937 random(7);
  FootRows foot;
  Terminal terminal({30, 200});
  Rows printed;
  for (int step = 0; step < 60; ++step) {
    Rows rows;
    for (size_t i = random() % 5 + 1; i > 0; --i)
      rows.push_back("row " + std::to_string(random() % 3));
    std::string lines;
    for (size_t i = random() % 3; i > 0; --i) {
      printed.push_back("line " + std::to_string(printed.size()));
      lines += printed.back() + "\n";
    }
    terminal.take(foot.show(rows, lines, 30));
    Rows wanted = printed;
    wanted.insert(wanted.end(), rows.begin(), rows.end());
    REQUIRE(terminal.rows() == wanted);
  }
}

TEST_CASE("Rows that a narrower window has wrapped are erased as a whole") {
  FootRows foot;
  Terminal terminal({20, 10});
  terminal.take("words\n");
  foot.show({"\x1b[1m" + std::string(19, 'x') + "\x1b[m", "状態状態状態状", "short"}, "", 20);
  // As a terminal of ten columns shows them.
  terminal.take("xxxxxxxxxx\nxxxxxxxxx\n状態状態状\n態状\nshort");
  terminal.take(foot.erase(10));
  CHECK(terminal.rows() == Rows{"words"});
}

}  // namespace orch::ui
