#include "demo/keys.h"

#include <catch2/catch.hpp>

using orch::demo::Key;
using orch::demo::KeyReader;

namespace {

using Kind = Key::Kind;

std::vector<Key> read_all(KeyReader& reader, std::string_view bytes) {
  return reader.read(bytes, 0);
}

std::string spelled(const std::vector<Key>& keys) {
  std::string out;
  for (const Key& key : keys)
    out += std::to_string(static_cast<int>(key.kind)) + ":" + key.text + ";";
  return out;
}

constexpr std::string_view kEverything =
    "héllo\r\x1b[A\x1bOB\x1b[200~two\r\nlines\x1b[31m\x1b[201~\x03\x15\x7f\x04\n\x1b\r"
    "\x1b[I\x1b[?62;22c\x1b[?2026;2$y\x1bP>|term(1)\x1b\\\x1b]11;rgb:0/0/0\a"
    "end";

}  // namespace

TEST_CASE("keys, pastes and the terminal's answers are told apart") {
  KeyReader reader;
  const std::vector<Key> keys = read_all(reader, kEverything);
  const std::vector<Kind> kinds{
      Kind::kText,      Kind::kEnter,       Kind::kUp,        Kind::kDown,       Kind::kPaste,
      Kind::kInterrupt, Kind::kClear,       Kind::kBackspace, Kind::kEndOfInput, Kind::kNewline,
      Kind::kNewline,   Kind::kFramesKnown, Kind::kText};
  REQUIRE(keys.size() == kinds.size());
  for (size_t i = 0; i < kinds.size(); ++i) CHECK(keys[i].kind == kinds[i]);
  CHECK(keys.front().text == "héllo");
  CHECK(keys[4].text == "two\nlines\x1b[31m");
  CHECK(keys.back().text == "end");
  CHECK_FALSE(reader.deadline());
}

TEST_CASE("a sequence cut anywhere gives the same keys") {
  KeyReader whole;
  const std::string expected = spelled(read_all(whole, kEverything));
  for (size_t cut = 1; cut < kEverything.size(); ++cut) {
    KeyReader reader;
    std::vector<Key> keys = read_all(reader, kEverything.substr(0, cut));
    for (Key& key : read_all(reader, kEverything.substr(cut))) {
      // Text that is cut comes as two keys of text; joins them.
      if (!keys.empty() && key.kind == Kind::kText && keys.back().kind == Kind::kText) {
        keys.back().text += key.text;
      } else {
        keys.push_back(std::move(key));
      }
    }
    CHECK(spelled(keys) == expected);
  }
}

TEST_CASE("an ESC that nothing follows is the Esc key after a while") {
  KeyReader reader;
  CHECK(reader.read("\x1b", 1000).empty());
  REQUIRE(reader.deadline() == 1000 + KeyReader::kEscapeMs);
  CHECK(reader.expire(1000 + KeyReader::kEscapeMs - 1).empty());
  const std::vector<Key> keys = reader.expire(1000 + KeyReader::kEscapeMs);
  REQUIRE(keys.size() == 1);
  CHECK(keys[0].kind == Kind::kEscape);
  CHECK_FALSE(reader.deadline());
}

TEST_CASE("malformed UTF-8 is replaced, in text and in a paste") {
  KeyReader reader;
  const std::vector<Key> keys = read_all(reader,
                                         "a\xff"
                                         "b\x1b[200~\xc3(\x1b[201~");
  REQUIRE(keys.size() == 2);
  CHECK(keys[0].text == "a\uFFFDb");
  CHECK(keys[1].text == "\uFFFD(");
}

TEST_CASE("answers that never end are given up") {
  KeyReader reader;
  CHECK(read_all(reader, "\x1bP" + std::string(1000, 'x')).empty());
  CHECK(read_all(reader, "\r").size() == 1);
}
