#include "term/keys.h"

#include <catch2/catch.hpp>

namespace orch::term {
namespace {

TEST_CASE("keys by name") {
  CHECK(key_bytes("Enter", CursorKeys::kNormal) == "\r");
  CHECK(key_bytes("Escape", CursorKeys::kNormal) == "\033");
  CHECK(key_bytes("BTab", CursorKeys::kNormal) == "\033[Z");
  CHECK(key_bytes("Backspace", CursorKeys::kNormal) == "\x7f");
  CHECK(key_bytes("PageDown", CursorKeys::kNormal) == "\033[6~");
  CHECK(key_bytes("C-a", CursorKeys::kNormal) == "\x01");
  CHECK(key_bytes("C-z", CursorKeys::kNormal) == "\x1a");
  CHECK(key_bytes("7", CursorKeys::kNormal) == "7");
  CHECK(key_bytes("é", CursorKeys::kNormal) == "é");
}

TEST_CASE("cursor keys follow DECCKM") {
  CHECK(key_bytes("Up", CursorKeys::kNormal) == "\033[A");
  CHECK(key_bytes("Up", CursorKeys::kApplication) == "\033OA");
  CHECK(key_bytes("End", CursorKeys::kApplication) == "\033OF");
  CHECK(key_bytes("Delete", CursorKeys::kApplication) == "\033[3~");
}

TEST_CASE("what is not a key") {
  for (const char* name : {"", "enter", "C-", "C-A", "C-1", "C-aa", "ab", "\n", "\033", "\xff"}) {
    CHECK_FALSE(key_bytes(name, CursorKeys::kNormal));
  }
}

TEST_CASE("pasted text cannot act as keys") {
  CHECK(paste_bytes("a\r\nb\rc\nd", PasteMode::kPlain) == "a\nb\nc\nd");
  CHECK(paste_bytes("a\tb\033[201~c\x7f\x03", PasteMode::kPlain) == "a\tb[201~c");
  CHECK(paste_bytes("a\u009b"
                    "b",
                    PasteMode::kPlain) == "ab");
  CHECK(paste_bytes("  a \n\n", PasteMode::kPlain) == "  a \n\n");
  CHECK(paste_bytes("é中", PasteMode::kBracketed) == "\033[200~é中\033[201~");
  CHECK(paste_bytes("a\xff", PasteMode::kPlain) == "a\uFFFD");
  CHECK(paste_bytes("\033\033[201~", PasteMode::kBracketed) == "\033[200~[201~\033[201~");
}

}  // namespace
}  // namespace orch::term
