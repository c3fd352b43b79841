// What a window is too narrow for is left out, the least important first, and then cut.
#include "ui/table.h"

#include <catch2/catch.hpp>

#include "ui/canvas.h"

namespace {

using orch::ui::Color;
using orch::ui::Table;

Table runs() {
  Table table(
      {{"RUN", Table::kAlways}, {"AGENT", 2}, {"STATUS", Table::kAlways}, {"TURNS", 1, true}});
  table.add({{"20261127T101112-fix"}, {"claude"}, {"completed", Color::kGreen}, {"12"}});
  table.add({{"20261127T101112-日本"}, {""}, {"failed\nX"}, {"3"}}, "  ! why\n");
  return table;
}

TEST_CASE("a table is as wide as its cells where no window bounds it") {
  CHECK(runs().text(std::nullopt, false) ==
        "RUN                   AGENT   STATUS     TURNS\n"
        "20261127T101112-fix   claude  completed     12\n"
        "20261127T101112-日本  -       failed�X       3\n"
        "  ! why\n");
}

TEST_CASE("a narrow window leaves out the least important columns") {
  CHECK(runs().text(46, false) == runs().text(std::nullopt, false));
  CHECK(runs().text(45, false) ==
        "RUN                   AGENT   STATUS\n"
        "20261127T101112-fix   claude  completed\n"
        "20261127T101112-日本  -       failed�X\n"
        "  ! why\n");
  CHECK(runs().text(38, false).starts_with("RUN                   STATUS\n"));
}

TEST_CASE("the longest cells are cut where leaving out does not help") {
  const std::string text = runs().text(24, false);
  CHECK(text ==
        "RUN            STATUS\n"
        "20261127T101…  completed\n"
        "20261127T101…  failed�X\n"
        "  ! why\n");
  CHECK_FALSE(runs().text(1, false).empty());
}

TEST_CASE("only the text of a cell is coloured") {
  CHECK(runs().text(24, true).find("  \x1b[32mcompleted\x1b[m\n") != std::string::npos);
}

}  // namespace
