#include "mcp/output_tail.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "base/text.h"

using orch::mcp::OutputTail;

namespace {

constexpr std::string_view kLeftOut = "[the beginning is left out]\n";

std::string tail_of(std::string_view text, size_t most = 16) {
  OutputTail tail(most);
  tail.add(text);
  return tail.text();
}

}  // namespace

TEST_CASE("what is short is there as it was written") {
  CHECK(tail_of("one\n\ttwo\n") == "one\n\ttwo\n");
  CHECK(tail_of("no line feed") == "no line feed");
  CHECK(tail_of("").empty());
  CHECK(tail_of("\n") == "\n");
}

TEST_CASE("of what is long the end is there, and a line says so") {
  CHECK(tail_of("0123456789abcdefXYZ") == std::string(kLeftOut) + "3456789abcdefXYZ");
  OutputTail tail(16);
  for (int i = 0; i < 1000; ++i) tail.add("line " + std::to_string(i) + "\n");
  CHECK(tail.text() == std::string(kLeftOut) + "ne 998\nline 999\n");
}

TEST_CASE("a cut never leaves half of a character") {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "é";
  CHECK(tail_of("x" + text, 15) == std::string(kLeftOut) + text.substr(0, 14));
}

TEST_CASE("neither controls nor bad bytes pass, nor what nobody sees") {
  CHECK(tail_of("a\x1b[2Jb\r\n\xff", 64) == "a\uFFFD[2Jb\n\uFFFD");
  CHECK(tail_of("a\u202eb", 64) == "a\\u{202e}b");
}

TEST_CASE("of random bytes comes bounded text that is valid and shows no control") {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    OutputTail tail(64);
    for (auto piece = random() % 6; piece > 0; --piece) {
      std::string bytes(random() % 150, '\0');
      for (char& byte : bytes) byte = static_cast<char>(random());
      tail.add(bytes);
    }
    const std::string text = tail.text();
    REQUIRE(text.size() <= 64 + kLeftOut.size());
    REQUIRE_FALSE(orch::base::invalid_utf8_at(text));
    for (const char c : text) {
      REQUIRE((static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t'));
      REQUIRE(c != 0x7f);
    }
  }
}
