#include "detect/typed_keys.h"

#include <catch2/catch.hpp>
#include <string>

namespace orch::detect {

TEST_CASE("A terminal's answers and reports are nothing") {
  const std::string reports[] = {
      "",
      "\x1b[?62;22c",                      // DA1
      "\x1b[>1;10;0c",                     // DA2
      "\x1b[0n",                           // DSR
      "\x1b[?997;1n",                      // colour scheme
      "\x1b[12;40R",                       // CPR
      "\x1b[?2026;2$y",                    // DECRPM
      "\x1b[8;24;80t",                     // XTWINOPS
      "\x1b[?7u",                          // kitty flags
      "\x1b[I",                            // focus in
      "\x1b[O",                            // focus out
      "\x1b[<0;10;5M",                     // mouse, pressed
      "\x1b[<0;10;5m",                     // and released
      "\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\",  // OSC closed by ST
      "\x1b]10;rgb:d0d0/d0d0/d0d0\a",      // OSC closed by BEL
      "\x1bP>|orch(1.0)\x1b\\",            // XTVERSION
      "\x1b_Gi=31;OK\x1b\\",               // kitty graphics
  };
  std::string all;
  for (const std::string& report : reports) {
    INFO(report);
    CHECK(read_typed(report) == TypedKey::kNothing);
    all += report;
  }
  CHECK(read_typed(all) == TypedKey::kNothing);
  CHECK(read_typed(all + "\r") == TypedKey::kEnter);
}

TEST_CASE("A report whose end did not come yet is nothing") {
  CHECK(read_typed("\x1bP>|orch") == TypedKey::kNothing);
  CHECK(read_typed("\x1b]11;rgb:1e1e") == TypedKey::kNothing);
}

TEST_CASE("Characters are text") {
  for (const char* text : {"a", "hello", "日本語", "12", "yes", "\t", "\x7f", "\x15", "\n"}) {
    INFO(text);
    CHECK(read_typed(text) == TypedKey::kText);
  }
}

TEST_CASE("Keys that send sequences are text") {
  for (const char* key :
       {"\x1b[A", "\x1bOA", "\x1b[Z", "\x1b[3~", "\x1b[1;5C", "\x1b[97u", "\x1by"}) {
    INFO(key + 1);
    CHECK(read_typed(key) == TypedKey::kText);
  }
}

TEST_CASE("A write that ends with Enter is Enter") {
  CHECK(read_typed("\r") == TypedKey::kEnter);
  CHECK(read_typed("do it\r") == TypedKey::kEnter);
  CHECK(read_typed("1\r") == TypedKey::kEnter);
  CHECK(read_typed("\r\x1b[?62;22c") == TypedKey::kEnter);
  CHECK(read_typed("\ra") == TypedKey::kText);
}

TEST_CASE("A paste is text, whatever is in it") {
  CHECK(read_typed("\x1b[200~one\rtwo\r\x1b[201~") == TypedKey::kText);
  CHECK(read_typed("\x1b[200~1\x1b[201~") == TypedKey::kText);
  CHECK(read_typed("\x1b[200~\x03\x1b\x1b[201~") == TypedKey::kText);
  CHECK(read_typed("\x1b[200~its end is in the next write\r") == TypedKey::kText);
  CHECK(read_typed("\x1b[200~one\x1b[201~\r") == TypedKey::kEnter);
  CHECK(read_typed("\x1b[200~one\x1b[201~y") == TypedKey::kText);
}

TEST_CASE("Escape alone is Escape") {
  CHECK(read_typed("\x1b") == TypedKey::kEscape);
  CHECK(read_typed("\x1b\x1b") == TypedKey::kEscape);
  CHECK(read_typed("draft\x1b") == TypedKey::kEscape);
  CHECK(read_typed("\x1b\x1b[A") == TypedKey::kText);
}

TEST_CASE("Ctrl-C is an interrupt") {
  CHECK(read_typed("\x03") == TypedKey::kInterrupt);
  CHECK(read_typed("draft\x03") == TypedKey::kInterrupt);
}

TEST_CASE("Enter, Escape and Ctrl-C are known in the kitty protocol too") {
  CHECK(read_typed("\x1b[13u") == TypedKey::kEnter);
  CHECK(read_typed("\x1b[27u") == TypedKey::kEscape);
  CHECK(read_typed("\x1b[99;5u") == TypedKey::kInterrupt);
  CHECK(read_typed("\x1b[13;2u") == TypedKey::kText);  // Shift-Enter begins a line
}

TEST_CASE("One digit but 0, y or n alone chooses") {
  for (const char* choice : {"1", "9", "y", "n", "Y", "N"}) {
    INFO(choice);
    CHECK(read_typed(choice) == TypedKey::kChoice);
  }
  CHECK(read_typed("\x1b[?62;22c"
                   "2") == TypedKey::kChoice);
  for (const char* text : {"0", "12", "x", "yn", "\x1b[A1"}) {
    INFO(text);
    CHECK(read_typed(text) == TypedKey::kText);
  }
}

TEST_CASE("However a write is cut, it is read to its end") {
  const std::string sample = "\x1b[200~a\rb\x1b[201~\x1b[<0;1;2M\x1b]0;t\x1b\\\x1bOA\x1b[1;5A\x03";
  for (size_t begin = 0; begin < sample.size(); ++begin) {
    for (size_t length = 0; length <= sample.size() - begin; ++length) {
      const TypedKey key = read_typed(sample.substr(begin, length));
      if (length == 0) CHECK(key == TypedKey::kNothing);
      if (begin + length == sample.size() && length > 0) CHECK(key == TypedKey::kInterrupt);
    }
  }
}

}  // namespace orch::detect
