#include "base/text.h"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

using namespace orch::base;
using namespace std::string_view_literals;

namespace {

// Unicode 15, table 3-8: each maximal subpart becomes one U+FFFD.
constexpr std::string_view kTable38 = "\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64"sv;

std::vector<char32_t> decode_all(std::string_view bytes) {
  std::vector<char32_t> out;
  while (!bytes.empty()) {
    const Decoded c = decode_utf8(bytes);
    REQUIRE(c.length >= 1);
    REQUIRE(c.length <= bytes.size());
    out.push_back(c.code_point);
    bytes.remove_prefix(c.length);
  }
  return out;
}

}  // namespace

TEST_CASE("every code point survives encoding and decoding") {
  for (char32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    if (code_point == 0xD800) code_point = 0xE000;  // surrogates are not characters
    std::string bytes;
    append_utf8(bytes, code_point);
    const Decoded c = decode_utf8(bytes);
    if (c.code_point != code_point || c.length != bytes.size() || invalid_utf8_at(bytes)) {
      FAIL("U+" << std::hex << static_cast<uint32_t>(code_point));
    }
  }
}

TEST_CASE("malformed UTF-8 decodes to U+FFFD over its maximal subpart") {
  CHECK(decode_all(kTable38) == std::vector<char32_t>{0x61, 0xFFFD, 0xFFFD, 0xFFFD, 0x62, 0xFFFD,
                                                      0x63, 0xFFFD, 0xFFFD, 0x64});
  CHECK(decode_all("\xC0\xAF"sv).size() == 2);          // overlong
  CHECK(decode_all("\xE0\x80\x80"sv).size() == 3);      // overlong
  CHECK(decode_all("\xED\xA0\x80"sv).size() == 3);      // a surrogate
  CHECK(decode_all("\xF4\x90\x80\x80"sv).size() == 4);  // above U+10FFFF
  CHECK(decode_all("\xF0\x9F\x98"sv).size() == 1);      // truncated
}

TEST_CASE("the first malformed byte is found where it is") {
  CHECK_FALSE(invalid_utf8_at(""));
  CHECK_FALSE(invalid_utf8_at("plain, ✳, 世界, 😀"));
  CHECK(invalid_utf8_at("ab\xFFz"sv) == 2);
  CHECK(invalid_utf8_at("é\xE2\x82"sv) == 2);
  CHECK(invalid_utf8_at("\xED\xA0\x80"sv) == 0);
}

TEST_CASE("a cut character at the end is recognised, a malformed one is not waited for") {
  CHECK(incomplete_utf8_tail("") == 0);
  CHECK(incomplete_utf8_tail("abc") == 0);
  CHECK(incomplete_utf8_tail("a\xC3"sv) == 1);
  CHECK(incomplete_utf8_tail("a\xE2\x94"sv) == 2);
  CHECK(incomplete_utf8_tail("\xF0\x9F\x98"sv) == 3);
  CHECK(incomplete_utf8_tail("é") == 0);
  CHECK(incomplete_utf8_tail("😀") == 0);
  CHECK(incomplete_utf8_tail("\xFF"sv) == 0);
  CHECK(incomplete_utf8_tail("\x80\x80\x80"sv) == 0);
  CHECK(incomplete_utf8_tail("\xED\xA0"sv) == 0);
  CHECK(incomplete_utf8_tail("\xE0\x80"sv) == 0);
}

TEST_CASE("to_valid_utf8 replaces malformed sequences and counts them") {
  size_t replaced = 0;
  CHECK(to_valid_utf8("héllo", &replaced) == "héllo");
  CHECK(replaced == 0);
  CHECK(to_valid_utf8(kTable38, &replaced) == "a���b�c��d");
  CHECK(replaced == 6);
  CHECK(to_valid_utf8("\xE2"sv) == "�");
}

TEST_CASE("printable lines keep their ends, and nothing else that moves a cursor") {
  CHECK(printable_lines("a\n\nb\x1b[2J\r\n") == "a\n\nb�[2J�\n");
  CHECK(printable_lines("\n") == "\n");
  CHECK(printable_lines("").empty());
}

TEST_CASE("printable text cannot move a cursor or forge a line") {
  CHECK(printable("a\tb 世界") == "a\tb 世界");
  CHECK(printable("a\x1b[2Jb\r\nc\0"sv) == "a�[2Jb��c�");
  CHECK(printable("\x7f") == "�");
  CHECK(printable("\xC2\x9B"
                  "1m"sv) == "�1m");  // C1 CSI as a character
  CHECK(printable("\xC2\xA0"sv) == "\xC2\xA0");
  CHECK(printable("\xFF"sv) == "�");
}

TEST_CASE("split_lines: a final line feed adds no empty line") {
  CHECK(split_lines("").empty());
  CHECK(split_lines("a") == std::vector<std::string_view>{"a"});
  CHECK(split_lines("a\n") == std::vector<std::string_view>{"a"});
  CHECK(split_lines("a\n\nb\r\n") == std::vector<std::string_view>{"a", "", "b\r"});
  CHECK(split_lines("\n") == std::vector<std::string_view>{""});
}

TEST_CASE("trim removes ASCII white space at both ends only") {
  CHECK(trim("") == "");
  CHECK(trim(" \t\r\n\f\v") == "");
  CHECK(trim("  a b\r\n") == "a b");
  CHECK(trim("\xC2\xA0x"sv) == "\xC2\xA0x");
}

TEST_CASE("the beginning of a text ends between two characters, and a short text stays whole") {
  CHECK(beginning("abc", 3) == "abc");
  CHECK(beginning("abc", 2) == "ab");
  CHECK(beginning("aé", 2) == "a");
  CHECK(beginning("aé", 3) == "aé");
  CHECK(beginning("漢字", 5) == "漢");
  CHECK(beginning("é", 1).empty());
  CHECK(beginning("", 0).empty());
  CHECK(beginning("a\xe6", 2) == "a\xe6");  // a text that is not cut is not looked at
}

TEST_CASE("words are what stands between blanks") {
  CHECK(split_at_blanks("").empty());
  CHECK(split_at_blanks("one") == std::vector<std::string_view>{"one"});
  CHECK(split_at_blanks("one two") == std::vector<std::string_view>{"one", "two"});
}

TEST_CASE("what XML does not allow in a text is replaced") {
  std::string out;
  append_entities(out, std::string_view("a\0b\x01\x1b\tc\n\x7f", 9));
  CHECK(out ==
        "a\xEF\xBF\xBD"
        "b\xEF\xBF\xBD\xEF\xBF\xBD\tc\n\x7f");
  out.clear();
  append_entities(out, "\xEF\xBF\xBE|\xEF\xBF\xBF|\xEF\xBF\xBD|\xED\xA0\x80|\xF0\x9F\x98\x80|\xC2");
  CHECK(orch::base::invalid_utf8_at(out) == std::nullopt);
  CHECK(out.find("\xEF\xBF\xBE") == std::string::npos);
  CHECK(out.find("\xEF\xBF\xBF") == std::string::npos);
  CHECK(out.find("|\xF0\x9F\x98\x80|") != std::string::npos);
}

TEST_CASE("markup in a text is written as entities") {
  std::string out = "x";
  append_entities(out, "<a href=\"b\">'&é");
  CHECK(out == "x&lt;a href=&quot;b&quot;&gt;&#39;&amp;é");
}
