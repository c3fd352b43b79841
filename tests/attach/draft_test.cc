#include "attach/draft.h"

#include <catch2/catch.hpp>
#include <string>

using orch::attach::Draft;

TEST_CASE("what is typed begins a draft, and what sends or empties the box ends it") {
  struct Row {
    std::string typed;
    bool open;
  };
  const Row rows[] = {
      {"", false},
      {"hello", true},
      {"ü", true},
      {"hello\r", false},
      {"hello\rmore", true},
      {"hello\x03", false},           // Ctrl-C
      {"hello\x15", false},           // Ctrl-U
      {"hello\x1b", false},           // Escape
      {"hello\x1b[A", true},          // an arrow
      {"\x1b[A\x1b[B\x1bOC", false},  // arrows alone
      {"\x1b[I\x1b[O", false},        // focus
      {"\x1b[<0;10;10M", false},      // the mouse
      {"\x1b[M !!", false},           // the mouse, as X10 had it
      {"\x1b[200~text\x1b[201~", true},
      {"\x1b[200~a\rb\x1b[201~", true},
      {"hello\x1b[13u", false},  // Enter in kitty's protocol
      {"hello\x1b[13;1u", false},
      {"hello\x1b[27;5;13~", false},  // and in xterm's
      {"\x1b[97;5u", true},
      {"\x1b"
       "f",
       true},  // Alt-f
      {"\x7f", false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.typed);
    Draft draft;
    draft.on_typed(row.typed);
    CHECK(draft.open() == row.open);
  }
}

TEST_CASE("a sequence that comes in pieces is one, but for its ESC") {
  Draft draft;
  draft.on_typed("\x1b[<0;1");
  draft.on_typed("0;10M");
  CHECK_FALSE(draft.open());
  draft.on_typed("\x1b[20");
  draft.on_typed("0~x");
  CHECK(draft.open());
}
