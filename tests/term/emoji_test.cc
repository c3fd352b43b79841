#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "base/text.h"
#include "described.h"
#include "term/screen.h"
#include "term/snapshot.h"
#include "term/width.h"

namespace orch::term {
namespace {

struct Emoji {
  std::string bytes, status;
};

// The sequences of Unicode's emoji-test.txt, from Debian's package unicode-data (script/bootstrap).
std::vector<Emoji> all_emoji() {
  std::ifstream in("/usr/share/unicode/emoji/emoji-test.txt");
  std::vector<Emoji> all;
  for (std::string line; std::getline(in, line);) {
    const size_t semicolon = line.find(';');
    if (line.empty() || line.front() == '#' || semicolon == std::string::npos) continue;
    Emoji emoji;
    const char* at = line.c_str();
    for (char* end = nullptr;; at = end) {
      const unsigned long code_point = std::strtoul(at, &end, 16);
      if (end == at) break;
      base::append_utf8(emoji.bytes, static_cast<char32_t>(code_point));
    }
    emoji.status = line.substr(semicolon + 2, line.find(' ', semicolon + 2) - semicolon - 2);
    all.push_back(emoji);
  }
  return all;
}

// Whether the emoji is one character of two columns with all of its code points, wherever the
// output is cut.
bool is_one_character(const std::string& emoji) {
  Screen screen({10, 2});
  for (const char c : emoji + "x") screen.feed({&c, 1});
  const RowView row = screen.row(0);
  Screen drawn({10, 2});
  drawn.feed(snapshot(screen));
  return rows_text(screen) == emoji + "x" && row.codes[1] == kWideTail && row.codes[2] == 'x' &&
         describe(drawn) == describe(screen);
}

TEST_CASE("every emoji of Unicode 15 is one character of two columns") {
  size_t whole = 0, one = 0;
  for (const Emoji& emoji : all_emoji()) {
    if (emoji.status != "fully-qualified" && emoji.status != "component") continue;
    ++whole;
    INFO(base::printable(emoji.bytes));
    one += is_one_character(emoji.bytes);
    std::string_view text = emoji.bytes;
    CHECK(take_character(text).columns == 2);
    CHECK(text.empty());
  }
  CHECK(whole == 3664);  // otherwise unicode-data is missing (script/bootstrap), or another version
  CHECK(one == whole);
}

TEST_CASE("an emoji fits in the columns that it takes, at the right margin too") {
  for (const Emoji& emoji : all_emoji()) {
    if (emoji.status != "fully-qualified") continue;
    INFO(base::printable(emoji.bytes));
    Screen screen({4, 3}), clipped({4, 3});
    screen.feed("abc" + emoji.bytes + "d");
    CHECK(rows_text(screen) == "abc|" + emoji.bytes + "d");
    CHECK(screen.row(0).wrapped);
    clipped.feed("\033[?7labc" + emoji.bytes);
    CHECK(rows_text(clipped) == "ab" + emoji.bytes);
  }
}

}  // namespace
}  // namespace orch::term
