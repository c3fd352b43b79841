#include "attach/detach_key.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using orch::attach::DetachKey;

namespace {

// The text that passes, and how often the key is found, if the bytes come in pieces of this size.
struct Seen {
  std::string typed;
  int presses = 0;
};
Seen seen(DetachKey key, std::string_view bytes, size_t piece) {
  Seen all;
  for (size_t at = 0; at < bytes.size(); at += piece) {
    std::string_view rest = bytes.substr(at, piece);
    for (bool more = true; more;) {
      const DetachKey::Found found = key.find(rest);
      all.typed += found.before;
      all.presses += found.pressed ? 1 : 0;
      more = found.pressed;
      rest = found.rest;
    }
  }
  all.typed += key.release();
  return all;
}

}  // namespace

TEST_CASE("the key is found in each of its forms, in whatever pieces it comes") {
  struct Row {
    std::string bytes, typed;
    int presses;
  };
  const Row rows[] = {
      {"plain text", "plain text", 0},
      {"a\x1d"
       "b",
       "ab", 1},
      {"\x1d\x1d", "", 2},
      {"a\x1b[93;5ub", "ab", 1},
      {"a\x1b[27;5;93~b", "ab", 1},
      {"\x1b[93;6u", "\x1b[93;6u", 0},
      {"\x1b[93", "\x1b[93", 0},
      {"\x1b", "\x1b", 0},
      {"\x1b[A\x1b[B", "\x1b[A\x1b[B", 0},
      {"\x1b[200~in\x1d\x1b[93;5u\x1b[201~\x1d", "\x1b[200~in\x1d\x1b[93;5u\x1b[201~", 1},
  };
  for (const Row& row : rows) {
    for (size_t piece = 1; piece <= row.bytes.size(); ++piece) {
      CAPTURE(row.bytes, piece);
      const Seen found = seen(DetachKey(), row.bytes, piece);
      CHECK(found.typed == row.typed);
      CHECK(found.presses == row.presses);
    }
  }
}

TEST_CASE("keys to leave by have the names that tmux and termios give them") {
  for (const std::string name : {"C-]", "C-a", "C-A", "^a", "^]", "C-\\", "C-^", "C-_"}) {
    CAPTURE(name);
    CHECK(DetachKey::named(name));
  }
  for (const std::string name : {"", "a", "C-", "C-c", "C-m", "C-i", "C-1", "F1", "C-aa", "^"}) {
    CAPTURE(name);
    const auto key = DetachKey::named(name);
    REQUIRE_FALSE(key);
    CHECK(key.error().text.find("C-]") != std::string::npos);
  }
  CHECK(DetachKey::named("C-a")->name() == "Ctrl-A");
  CHECK(seen(*DetachKey::named("C-a"), "x\x01y\x1b[97;5uz", 3).presses == 2);
  const Seen none = seen(*DetachKey::named("none"), std::string("x\0\x1d", 3), 1);
  CHECK(none.typed == std::string("x\0\x1d", 3));
  CHECK(none.presses == 0);
}
