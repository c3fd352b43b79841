#include <catch2/catch.hpp>
#include <string>

#include "described.h"
#include "term/screen.h"

namespace orch::term {
namespace {

// The style of text after `sgr`, which is read byte by byte, then at once, then from the cache of
// known sequences.
std::string style_after(const std::string& sgr) {
  const std::string padding = "\033]2;" + std::string(64, '-') + "\a";
  Screen screen({10, 2});
  for (const char c : sgr + "x\033[m") screen.feed({&c, 1});
  screen.feed(sgr + "x\033[m" + padding);
  screen.feed(sgr + "x\033[m" + padding);
  const auto style_of = [&](size_t col) {
    return describe(screen.style(screen.row(0).styles[col]));
  };
  CHECK(style_of(1) == style_of(0));
  CHECK(style_of(2) == style_of(0));
  return style_of(0);
}

TEST_CASE("attributes are set and cleared") {
  CHECK(style_after("\033[1;2;3;4;5;7;8;9m") ==
        "bold faint italic underline blink inverse hidden strike");
  CHECK(style_after("\033[1;3m\033[m") == "");
  CHECK(style_after("\033[1;2;3;4;5;7;8;9m\033[22;23;24;25;27;28;29m") == "");
  CHECK(style_after("\033[21m") == "underline");
  CHECK(style_after("\033[1;;3m") == "italic");
}

TEST_CASE("underline styles") {
  CHECK(style_after("\033[4:3m") == "underline");
  CHECK(style_after("\033[4m\033[4:0m") == "");
  CHECK(style_after("\033[4:3;1m") == "bold underline");
}

TEST_CASE("colours by index") {
  CHECK(style_after("\033[31;42m") == "fg=1 bg=2");
  CHECK(style_after("\033[91;102m") == "fg=9 bg=10");
  CHECK(style_after("\033[38;5;200;48;5;17m") == "fg=200 bg=17");
  CHECK(style_after("\033[38:5:200m") == "fg=200");
  CHECK(style_after("\033[31;42m\033[39;49m") == "");
}

TEST_CASE("colours of 24 bits") {
  CHECK(style_after("\033[38;2;1;2;3;48;2;4;5;6m") == "fg=1,2,3 bg=4,5,6");
  CHECK(style_after("\033[38:2:1:2:3m") == "fg=1,2,3");
  CHECK(style_after("\033[38:2::1:2:3m") == "fg=1,2,3");
  CHECK(style_after("\033[38:2:0:1:2:3;1m") == "bold fg=1,2,3");
  CHECK(style_after("\033[38;2;1;2;3;1m") == "bold fg=1,2,3");
  CHECK(style_after("\033[38;2;;;m") == "fg=0,0,0");
}

TEST_CASE("a colour cut short sets nothing") {
  CHECK(style_after("\033[38m") == "");
  CHECK(style_after("\033[38;5m") == "");
  CHECK(style_after("\033[38;2;1;2m") == "");
  CHECK(style_after("\033[38:2:1m") == "");
}

TEST_CASE("underline colour and unknown parameters are skipped") {
  CHECK(style_after("\033[58;2;1;2;3;1m") == "bold");
  CHECK(style_after("\033[58:2::1:2:3;59;3m") == "italic");
  CHECK(style_after("\033[58;5;1;3m") == "italic");
  CHECK(style_after("\033[77;1m") == "bold");
  CHECK(style_after("\033[77:1;3m") == "italic");
}

TEST_CASE("an SGR sequence changes what it names and keeps the rest") {
  CHECK(style_after("\033[1;31;44m\033[3;39m") == "bold italic bg=4");
  CHECK(style_after("\033[1;31;44m\033[22;38;2;1;2;3m") == "fg=1,2,3 bg=4");
  CHECK(style_after("\033[7;38;5;200m\033[49m") == "inverse fg=200");
}

TEST_CASE("private sequences that end in m are no SGR") {
  CHECK(style_after("\033[>4;1m") == "");
  CHECK(style_after("\033[?1m") == "");
}

TEST_CASE("erasing fills with the background alone") {
  Screen screen({4, 2});
  screen.feed("\033[1;31;44m\033[Kx");
  CHECK(describe(screen.style(screen.row(0).styles[0])) == "bold fg=1 bg=4");
  CHECK(describe(screen.style(screen.row(0).styles[1])) == "bg=4");
  screen.feed("\033[2;1H\n");
  CHECK(describe(screen.style(screen.row(1).styles[0])) == "bg=4");
}

TEST_CASE("more styles than the table holds do not run out while few are on the screen") {
  Screen screen({20, 2});
  for (int i = 0; i < 200000; ++i) {
    screen.feed("\033[38;2;" + std::to_string(i >> 16) + ";" + std::to_string((i >> 8) & 255) +
                ";" + std::to_string(i & 255) + "mx");
  }
  CHECK(describe(screen.style(screen.row(screen.cursor_row()).styles[0])).starts_with("fg=3,13,"));
  CHECK(describe(screen.style(screen.row(1).styles[static_cast<size_t>(screen.cursor_col()) - 1]))
            .starts_with("fg=3,13,"));
}

}  // namespace
}  // namespace orch::term
