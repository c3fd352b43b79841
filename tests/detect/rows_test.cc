#include "detect/rows.h"

#include <catch2/catch.hpp>

#include "stage.h"

namespace orch::detect {
namespace {

// A screen with ten rows, "row 0" to "row 9", and one pattern.
struct Fixture {
  Fixture() {
    patterns.add("7$").value();
    REQUIRE(patterns.compile());
    for (int i = 0; i < 10; ++i) screen.feed((i == 0 ? "row " : "\r\nrow ") + std::to_string(i));
    REQUIRE(rows.refresh(screen, patterns));
  }
  uint64_t searched_by(std::string_view bytes, bool expect_change) {
    const uint64_t before = rows.searched();
    screen.feed(bytes);
    CHECK(rows.refresh(screen, patterns) == expect_change);
    return rows.searched() - before;
  }
  PatternSet patterns;
  term::Screen screen{{20, 10}};
  Rows rows;
};

}  // namespace

TEST_CASE("Every row that is not blank is searched once") {
  Fixture f;
  CHECK(f.rows.searched() == 10);
  CHECK(f.rows.used() == 10);
  CHECK(f.rows[7].bits.test(0));
  CHECK_FALSE(f.rows[6].bits.test(0));
  CHECK(f.searched_by("", false) == 0);
}

TEST_CASE("Only a row that changed is searched") {
  Fixture f;
  CHECK(f.searched_by("\x1b[4;1Hline 7", true) == 1);
  CHECK(f.rows[3].text == "line 7");
  CHECK(f.rows[3].bits.test(0));
}

TEST_CASE("A row that is written anew with the same text is no change") {
  Fixture f;
  CHECK(f.searched_by("\x1b[4;1H\x1b[2Krow 3", false) == 0);
}

TEST_CASE("A row whose words take on a colour is a change that needs no search") {
  Fixture f;
  CHECK(f.searched_by("\x1b[4;1H\x1b[31mrow 3\x1b[m", true) == 0);
  CHECK(f.rows[3].colored == Colored::kRow);
  CHECK(f.searched_by("\x1b[4;1H\x1b[1;32mrow 3\x1b[m", false) == 0);
}

TEST_CASE("A row is in colour when all its words are, and wholly when its signs are in the same") {
  const std::string sign = "\x1b[38;2;255;255;255m* ";
  const std::string code = "\x1b[38;2;177;185;249m";
  const auto colored = [](const std::string& bytes) {
    Fixture f;
    f.searched_by("\x1b[4;1H\x1b[2K" + bytes + "\x1b[m", true);
    return f.rows[3].colored;
  };
  CHECK(colored("* Error: 429") == Colored::kNo);
  CHECK(colored("\x1b[33m* Error: 429") == Colored::kRow);
  CHECK(colored(sign + code + "Error: 429") == Colored::kSign);
  CHECK(colored(sign + code + "Error\x1b[39m: 429") == Colored::kNo);
  CHECK(colored("\x1b[90m*\u00a0 " + code + "Error: 429") == Colored::kSign);
  CHECK(colored("\x1b[90m*\u00a0 " + code + "Error: \x1b[33m429") == Colored::kWords);
  CHECK(colored("* " + code + "Error: 429") == Colored::kWords);
  CHECK(colored(sign + "Error: \x1b[39m429") == Colored::kNo);
  CHECK(colored("\x1b[33m* - !") == Colored::kNo);
}

TEST_CASE("Rows that scrolled keep their facts") {
  Fixture f;
  CHECK(f.searched_by("\x1b[10;1H\r\nrow 10\r\nrow 11", true) == 2);
  CHECK(f.rows[0].text == "row 2");
  CHECK(f.rows[5].bits.test(0));
  CHECK_FALSE(f.rows[7].bits.test(0));
  CHECK(f.rows[9].text == "row 11");
}

TEST_CASE("Facts are right however far the screen scrolled") {
  for (int lines = 1; lines <= 12; ++lines) {
    Fixture f;
    std::string bytes = "\x1b[10;1H";
    for (int i = 0; i < lines; ++i) bytes += "\r\nrow " + std::to_string(10 + i);
    f.searched_by(bytes, true);
    for (int row = 0; row < 10; ++row) {
      CHECK(f.rows[row].text == "row " + std::to_string(row + lines));
      CHECK(f.rows[row].bits.test(0) == ((row + lines) % 10 == 7));
    }
  }
}

TEST_CASE("Blank rows at the end are not used, and are not searched") {
  Fixture f;
  CHECK(f.searched_by("\x1b[5;1H\x1b[J", true) == 0);
  CHECK(f.rows.used() == 4);
  CHECK(f.rows[6].blank);
  CHECK(f.rows[7].bits.none());
}

TEST_CASE("A new height is a change") {
  Fixture f;
  f.screen.resize({20, 12});
  CHECK(f.rows.refresh(f.screen, f.patterns));
  CHECK(f.rows.count() == 12);
  CHECK(f.rows.used() == 10);
  CHECK_FALSE(f.rows.refresh(f.screen, f.patterns));
}

}  // namespace orch::detect
