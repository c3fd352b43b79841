#include "mask/marker.h"

#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "mask/text.h"
#include "planted.h"

using namespace orch::mask;

namespace {

std::string hidden(std::string_view text) {
  return masked(std::make_shared<const Secrets>(std::vector{kPlanted}), text);
}

}  // namespace

TEST_CASE("a secret is found over two rows, whatever margin and frame are between") {
  for (const std::string between :
       {"\n", "\r\n", "\n    ", "  \n  ", " │\n│ ", " ┃\r\n┃  ", "|\n|", "\r\n\x1b[2K\x1b[1G   ",
        "\x1b[0m │\x1b[12;3H│ \x1b[1m", " ║\n\n║ "}) {
    for (size_t at = 1; at < kPlanted.size(); ++at) {
      const std::string text =
          "is " + kPlanted.substr(0, at) + between + kPlanted.substr(at) + " so";
      INFO(text);
      CHECK(hidden(text) == "is ***" + between + "*** so");
    }
  }
}

TEST_CASE("a secret is found between changes of colour") {
  std::string text;
  for (const char c : kPlanted) text += std::string("\x1b[38;5;1m") + c;
  CHECK(hidden(text).find_first_of("plnt3-2") == text.find("38"));
  CHECK(hidden("a\x1b]0;" + kPlanted + "\ab") == "a\x1b]0;***\ab");
  CHECK(hidden("pl4nted-\x1b]0;title\as3cret-0123456789") == "***\x1b]0;title\a***");
}

TEST_CASE("words that blanks keep apart are no secret") {
  CHECK(hidden("pl4nted- s3cret-0123456789") == "pl4nted- s3cret-0123456789");
  CHECK(hidden("pl4nted-\x1b[1Cs3cret-0123456789") == "pl4nted-\x1b[1Cs3cret-0123456789");
}

TEST_CASE("a secret with blanks is found where a row was broken at one") {
  const auto secrets = std::make_shared<const Secrets>(std::vector<std::string>{"Correct horse 9"});
  CHECK(masked(secrets, "x Correct horse 9 y") == "x *** y");
  CHECK(masked(secrets, "x Correct\n  horse 9 y") == "x ***\n  *** y");
}

TEST_CASE("a key goes on in the next row only if it is not whole or its row is long") {
  const auto secrets = std::make_shared<const Secrets>();
  const std::string key = "sk-0a1B2c3D4e5F6a7B8c9D0a1B2c3D4e5F6a7B8c9D";
  CHECK(masked(secrets, "sk-0a1B2c3D4e5F6a7B8c9D0\nnext") == "***\nnext");
  CHECK(masked(secrets, "sk-0a1B2c3D\n4e5F6a7B8c9D0") == "***\n***");
  CHECK(masked(secrets, "the key is " + key + "\n0a1B2c rest") == "the key is ***\n*** rest");
}

TEST_CASE("a key is masked to its end in rows of any width") {
  const auto secrets = std::make_shared<const Secrets>();
  const std::string part = "0a1B2c3D4e5F6a7B8c9D_0a1B2c3D4e5F6a-7B8c9DeadBeefQ";
  const std::string key = "sk-ant-api03-" + part + part + "xY";
  const std::string token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0." + part + part;
  for (const std::string& secret : {key, token}) {
    for (size_t width = 20; width < 80; ++width) {
      std::string rows, hidden;
      for (size_t at = 0; at < secret.size(); at += width) {
        rows += "│ " + secret.substr(at, width) + " │\n";
        hidden += "│ *** │\n";
      }
      INFO(rows);
      CHECK(masked(secrets, rows + "$ ls\n") == hidden + "$ ls\n");
    }
  }
}

TEST_CASE("words and numbers in the row behind a key are left") {
  const auto secrets = std::make_shared<const Secrets>();
  for (const std::string next :
       {"done", "next", "Done", "README", "2. Run it", "12:30 ok", "2024-01-31", "GitHub is down",
        "JavaScript", "OPENAI_MODEL=x", "v2", "--------", "a-word-of-its-own"}) {
    INFO(next);
    CHECK(masked(secrets, "sk-0a1B2c3D4e5F6a7B8c9D0\n" + next + "\n") == "***\n" + next + "\n");
    CHECK(masked(secrets, "ghp_0a1B2c3D4e5F6a7B8\nc9D0a1B2c3D4e5F6a7B\n" + next + "\n") ==
          "***\n***\n" + next + "\n");
  }
}

TEST_CASE("malformed and unfinished sequences are passed over") {
  CHECK(hidden("\xE2" + kPlanted) == "\xE2***");
  CHECK(hidden("\xE2\x94" + kPlanted) == "\xE2\x94***");
  CHECK(hidden("\x1b[1;" + std::string(200, '9') + "m" + kPlanted).ends_with("m***"));
  // The secret's first letter ends the sequence.
  CHECK(hidden("\x1b[" + kPlanted) == "\x1b[" + kPlanted);
  CHECK(hidden(std::string("\0\x80\xFF", 3) + kPlanted) == std::string("\0\x80\xFF", 3) + "***");
}

TEST_CASE("what comes at once is marked as what comes byte by byte") {
  const auto secrets = std::make_shared<const Secrets>(std::vector{kPlanted});
  const std::vector<std::string> pieces{kPlanted,
                                        kPlanted.substr(0, 9),
                                        kPlanted.substr(9),
                                        "ghp_0a1B2c3D4e5F6a7B8c9D0a1B2c3D4e5F6a7B",
                                        "ghp_0a1B2c3D4e5F6a7B8c9D0a",
                                        "-----BEGIN PRIVATE KEY-----",
                                        "MIIEpAIBAAKCAQEA1c7+9z5Pad7OejecsQ0bu3aumwbB",
                                        "words of an agent, ",
                                        "e",
                                        " ",
                                        "\t",
                                        "|",
                                        "─",
                                        "│",
                                        "…",
                                        "\xE2",
                                        "\xE2\x94",
                                        "日",
                                        "\r\n",
                                        "\x7f",
                                        "\b",
                                        "\x1b",
                                        "\x1b[",
                                        "\x1b[0m",
                                        "\x1b[38;5;246m",
                                        "\x1b[12;3H",
                                        "\x1b[5C",
                                        "\x1b[K",
                                        "\x1b(B",
                                        "\x1b]0;title",
                                        "\a",
                                        "\x1b\\",
                                        "\x1b"
                                        "c"};
  std::minstd_rand random(3);
  size_t found = 0;
  for (int round = 0; round < 3'000; ++round) {
    std::string text;
    for (int i = 0; i < 40; ++i) text += pieces[random() % pieces.size()];
    Marker at_once(secrets), by_byte(secrets);
    at_once.feed(text);
    for (const char byte : text) by_byte.feed({&byte, 1});
    INFO(text);
    REQUIRE(at_once.settled() == by_byte.settled());
    const std::vector<Span> spans = joined(at_once.take_spans());
    REQUIRE(spans == joined(by_byte.take_spans()));
    found += spans.size();
  }
  CHECK(found > 5'000);
}
