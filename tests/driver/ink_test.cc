#include "driver/ink.h"

#include <catch2/catch.hpp>
#include <string>

namespace orch::driver {
namespace {

Ink ink_of_row(const std::string& bytes) {
  term::Screen screen({20, 2});
  screen.feed(bytes);
  return ink_of(screen, screen.row(0));
}

// A row that begins with these parameters of SGR.
Ink ink_of_sgr(const std::string& sgr) { return ink_of_row("  \x1b[" + sgr + "mx"); }

TEST_CASE("a row is shaded if its first character stands on a background colour") {
  const auto shaded = [](const std::string& bytes) {
    term::Screen screen({20, 1});
    screen.feed(bytes);
    return is_shaded(screen, screen.row(0));
  };
  CHECK(shaded("\x1b[44m hi\x1b[0m"));
  CHECK(shaded(" \x1b[48;2;29;43;70mhi"));
  CHECK_FALSE(shaded(" hi \x1b[44mthere"));
  CHECK_FALSE(shaded("\x1b[44m   \x1b[0mhi"));
  CHECK_FALSE(shaded("\x1b[44m   "));
}

TEST_CASE("the terminal's own colour, black and white are plain ink") {
  for (const char* sgr : {"0", "39", "1", "2", "30", "97", "38;5;0", "38;5;15", "38;5;16",
                          "38;5;231", "38;2;0;0;0", "38;2;255;255;255", "38;2;242;243;245"}) {
    INFO(sgr);
    CHECK(ink_of_sgr(sgr) == Ink::kPlain);
  }
}

TEST_CASE("greys are between black and white, in the palette too") {
  for (const char* sgr : {"37", "90", "38;5;7", "38;5;8", "38;5;59", "38;5;188", "38;5;232",
                          "38;5;255", "38;2;153;153;153", "38;2;102;102;102", "38;2;80;82;88"}) {
    INFO(sgr);
    CHECK(ink_of_sgr(sgr) == Ink::kGrey);
  }
}

TEST_CASE("whatever has a tint is a colour") {
  for (const char* sgr : {"31", "36", "92", "38;5;17", "38;5;60", "38;5;230", "38;2;78;186;101",
                          "38;2;177;185;249", "38;2;153;153;170"}) {
    INFO(sgr);
    CHECK(ink_of_sgr(sgr) == Ink::kColor);
  }
}

TEST_CASE("the first character that can be seen gives a row its ink") {
  CHECK(ink_of_row("") == Ink::kPlain);
  CHECK(ink_of_row("\x1b[31m    ") == Ink::kPlain);
  CHECK(ink_of_row("\x1b[31m  \x1b[39mx\x1b[31my") == Ink::kPlain);
  CHECK(ink_of_row("\x1b[10C\x1b[31mx\x1b[39my") == Ink::kColor);
}

}  // namespace
}  // namespace orch::driver
