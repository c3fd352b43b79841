#include "mask/screen.h"

#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "planted.h"
#include "term/render.h"

using namespace orch::mask;
using orch::term::Screen;

namespace {

std::string covered(std::string_view drawing) {
  const auto secrets = std::make_shared<const Secrets>(std::vector{kPlanted});
  Screen screen({40, 5});
  screen.feed(drawing);
  cover(screen, find_on(secrets, screen));
  std::string text = orch::term::render_text(screen);
  return text.substr(0, text.find_last_not_of('\n') + 1);
}

}  // namespace

TEST_CASE("a secret on a screen is covered cell by cell, in whatever order it was drawn") {
  const std::string stars(kPlanted.size(), '*');
  CHECK(covered("is " + kPlanted + " so") == "is " + stars + " so");
  CHECK(covered("\x1b[1;12Hs3cret-0123456789\x1b[1;4Hpl4nted-\ris") == "is " + stars);
  CHECK(covered("is pl\xC3\xA9nted-s3cret-0123456789\x1b[1;6H4") == "is " + stars);
}

TEST_CASE("a key on a screen is covered without a value to compare with") {
  const std::string key = "ghp_0a1B2c3D4e5F6a7B8c9D0a1B2c3D4e5F6a7B";
  CHECK(covered("\x1b[1;5H" + key.substr(4, 32) + "\x1b[1;1Hghp_\x1b[1;37H" + key.substr(36)) ==
        std::string(40, '*'));
}

TEST_CASE("a secret is covered where the screen breaks it, also in a frame") {
  CHECK(covered(std::string(30, 'a') + " " + kPlanted) ==
        std::string(30, 'a') + " *********\n****************");
  CHECK(covered("\x1b[2;1H│ s3cret-0123456789 │\x1b[1;1H│ pl4nted-          │") ==
        "│ ********          │\n│ ***************** │");
}

TEST_CASE(
    "marks that are combined with a secret's characters, and what is not seen, hide nothing") {
  std::string marked;
  for (const char c : kPlanted) marked += std::string(1, c) + "\xCC\x81";
  CHECK(covered(marked) == std::string(kPlanted.size(), '*'));
  CHECK(covered("pl4\xE2\x80\x8Bnted-\xEF\xB8\x8Fs3cret-0123456789") ==
        std::string(kPlanted.size(), '*'));
}

TEST_CASE("a part of a secret is known by what stands in its place later") {
  const auto secrets = std::make_shared<const Secrets>(std::vector{kPlanted});
  Screen now({40, 5}), later({40, 5});
  now.feed("is\x1b[1;12Hs3cret-0123456789 and more");
  later.feed("is " + kPlanted + " and more");
  const auto standing = standing_in(later, find_on(secrets, later));
  CHECK(parts_on(standing, now) == std::vector<Cells>{{0, 11, 28}});
  Screen other({20, 1});
  other.feed("0123456789");
  CHECK(parts_on(standing, other).empty());
}

TEST_CASE("what a marker tells of covered cells is read as it was written, and nothing else is") {
  const std::vector<Cells> cells{{3, 10, 35}, {4, 0, 7}};
  CHECK(cover_marker(cells) == "cover=3:10-35 4:0-7");
  CHECK(read_cover_marker(cover_marker(cells)) == cells);
  for (const char* text : {"", "status=idle", "cover=", "cover=x", "cover=1:2", "cover=1:2-x"}) {
    CHECK(read_cover_marker(text).empty());
  }
  Screen screen({10, 2});
  screen.feed("0123456789");
  cover(screen, {{-1, 0, 4}, {7, 0, 4}, {0, -5, 2}, {0, 8, 4000}, {0, 5, 5}, {0, 6, 4}});
  CHECK(orch::term::render_text(screen) == "**234567**\n\n");
}

TEST_CASE("a wide character that is covered in part goes as a whole") {
  Screen screen({10, 1});
  screen.feed("a你b");
  cover(screen, {{0, 2, 3}});
  CHECK(orch::term::render_text(screen) == "a *b\n");
}

TEST_CASE("a search that is repeated finds on each screen what a first one finds there") {
  const std::vector<std::string> pieces{kPlanted,
                                        kPlanted.substr(0, 11),
                                        kPlanted.substr(11),
                                        "ghp_0a1B2c3D4e5F6a7B8c9D0a1B2c3D4e5F6a7B",
                                        "ghp_0a1B2c3D4e5F6a7B8c",
                                        "9D0a1B2c3D4e5F6a7B",
                                        "-----BEGIN RSA PRIVATE KEY-----",
                                        "MIIEpAIBAAKCAQEA1c7+9z5Pad7OejecsQ0bu3aumwbB",
                                        "-----END RSA PRIVATE KEY-----",
                                        "words",
                                        " ",
                                        "│ ",
                                        "pl",
                                        "\r\n",
                                        "\x1b[K",
                                        "\x1b[2J",
                                        "\x1b[L",
                                        "\x1b[M",
                                        "\x1b[S",
                                        "\x1b[T",
                                        "日本",
                                        "\x1b[?1049h",
                                        "\x1b[?1049l"};
  const auto secrets = std::make_shared<const Secrets>(std::vector{kPlanted});
  std::minstd_rand random(7);
  const auto below = [&random](size_t n) { return random() % n; };
  size_t found = 0;
  for (int round = 0; round < 300; ++round) {
    Screen screen({46, 12});
    ScreenSearch search(secrets);
    for (int step = 0; step < 40; ++step) {
      if (below(3) > 0) {
        screen.feed("\x1b[" + std::to_string(1 + below(12)) + ";" + std::to_string(1 + below(46)) +
                    "H");
      }
      screen.feed(pieces[below(pieces.size())]);
      if (below(50) == 0) screen.resize({46, static_cast<int>(8 + below(6))});
      const std::vector<Cells> expected = find_on(secrets, screen);
      REQUIRE(search.find_on(screen) == expected);
      found += expected.size();
    }
  }
  CHECK(found > 10'000);
}
