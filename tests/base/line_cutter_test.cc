#include "base/line_cutter.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

using orch::base::LineCutter;

namespace {

// The lines that are cut; "!" for one that is too long.
std::vector<std::string> lines_in(const std::vector<std::string>& pieces, size_t most = 8) {
  std::vector<std::string> lines;
  LineCutter cutter(most);
  for (const std::string& piece : pieces) {
    cutter.cut(
        piece, [&](std::string_view line) { lines.emplace_back(line); },
        [&] { lines.emplace_back("!"); });
  }
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("lines end with LF; what follows the last one is none") {
  CHECK(lines_in({"one\ntwo\r\n\nrest"}) == Lines{"one", "two\r", ""});
  CHECK(lines_in({"o", "ne", "\nt", "wo\n"}) == Lines{"one", "two"});
  CHECK(lines_in({""}).empty());
}

TEST_CASE("a line that is too long is told at its end, and the next one is read") {
  CHECK(lines_in({"12345678\n"}) == Lines{"12345678"});
  CHECK(lines_in({"123456789\nnext\n"}) == Lines{"!", "next"});
  CHECK(lines_in({"1234", "56789", "more and more", "\nnext\n"}) == Lines{"!", "next"});
  CHECK(lines_in({"123456789"}).empty());  // its end has not come yet
}

TEST_CASE("however the bytes are split, the lines are the same") {
  std::mt19937 random(7);
  std::string text;
  for (int i = 0; i < 4000; ++i) text += "ab\r\n\n"[random() % 5];
  text += '\n';
  const Lines whole = lines_in({text});
  for (int round = 0; round < 50; ++round) {
    std::vector<std::string> pieces;
    for (size_t at = 0; at < text.size();) {
      const size_t size = random() % 20;
      pieces.push_back(text.substr(at, size));
      at += size;
    }
    REQUIRE(lines_in(pieces) == whole);
  }
}
