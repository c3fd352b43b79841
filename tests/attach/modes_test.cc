#include "attach/modes.h"

#include <catch2/catch.hpp>
#include <random>

using namespace orch::attach;

TEST_CASE("only what differs is switched") {
  const MirroredModes none;
  CHECK(change_of_modes(none, none).empty());
  CHECK(change_of_modes(none, {.application_cursor = true}) == "\x1b[?1h");
  CHECK(change_of_modes({.bracketed_paste = true}, none) == "\x1b[?2004l");
  CHECK(change_of_modes(none, {.mouse = 9}) == "\x1b[?1000h\x1b[?1006h");
  CHECK(change_of_modes({.mouse = 9}, {.mouse = 12}) == "\x1b[?1000l\x1b[?1003h");
  CHECK(change_of_modes(none, {.kitty_keyboard = 5}) == "\x1b[>5u");
  CHECK(change_of_modes({.kitty_keyboard = 5}, {.kitty_keyboard = 1}) == "\x1b[=1;1u");
  CHECK(change_of_modes({.kitty_keyboard = 1}, none) == "\x1b[<u");
}

TEST_CASE(
    "a terminal that is switched from state to state has the agent's modes, and at the end none") {
  std::mt19937 random(7);
  orch::term::Screen person({80, 24});
  MirroredModes now;
  const auto flip = [&] { return (random() & 1U) != 0; };
  for (int i = 0; i < 2'000; ++i) {
    orch::term::Modes modes;
    modes.application_cursor = flip();
    modes.bracketed_paste = flip();
    modes.focus_reports = flip();
    modes.mouse = static_cast<uint16_t>(random() % 16);
    modes.kitty_keyboard = static_cast<uint8_t>(random() % 32);
    const bool from_origin = flip();
    const MirroredModes next = modes_to_mirror(modes, from_origin);
    person.feed(change_of_modes(now, next));
    now = next;
    CHECK(person.modes().application_cursor == modes.application_cursor);
    CHECK(person.modes().bracketed_paste == modes.bracketed_paste);
    CHECK(person.modes().focus_reports == modes.focus_reports);
    CHECK(person.modes().mouse == (from_origin ? modes.mouse : 0));
    CHECK(person.modes().kitty_keyboard == modes.kitty_keyboard);
  }
  person.feed(change_of_modes(now, {}));
  CHECK(modes_to_mirror(person.modes(), true) == MirroredModes{});
}
