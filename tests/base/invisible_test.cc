#include "base/invisible.h"

#include <catch2/catch.hpp>

#include "base/json.h"
#include "base/text.h"

using namespace orch::base;
using namespace std::string_view_literals;

namespace {

std::string utf8(std::u32string_view text) {
  std::string out;
  for (const char32_t c : text) append_utf8(out, c);
  return out;
}

std::string shown(std::u32string_view text) { return printable(utf8(text)); }

}  // namespace

TEST_CASE("what turns text around, hides in it or breaks a line is written out") {
  CHECK(shown(U"a\u202eb") == "a\\u{202e}b");
  constexpr std::u32string_view kHidden =
      U"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c\u200b\u200c\u200d"
      U"\u2060\ufeff\u2028\u2029\u00ad\u180e\u3164\U000E0001\U000E0041\U000E007F\U000E0100";
  for (const char32_t c : kHidden) {
    const std::u32string text = std::u32string(U"a") + c + U"b";
    std::string escaped = "a";
    append_escape(escaped, c);
    CHECK(shown(text) == escaped + "b");
    CHECK(printable(shown(text)) == shown(text));
  }
  CHECK(shown(U"\U000E0041") == "\\u{e0041}");
  CHECK(shown(U"\u200b") == "\\u{200b}");
}

TEST_CASE("words of every script and emoji stay as they are") {
  for (const std::u32string_view text :
       {U"\U0001F469\u200d\u2764\ufe0f\u200d\U0001F468"sv, U"\U0001F44B\U0001F3FD"sv,
        U"\U0001F469\U0001F3FD\u200d\U0001F4BB"sv, U"1\ufe0f\u20e3"sv,
        U"\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"sv, U"\u0915\u094d\u200d\u0937"sv,
        U"\u845b\U000E0100\u98fe"sv, U"naïve – “reading” ● ⎿ │ … 中文"sv}) {
    CHECK(shown(text) == utf8(text));
  }
}

TEST_CASE("a joiner or selector that shapes nothing is written out") {
  CHECK(shown(U"rm\u200d -rf") == "rm\\u{200d} -rf");
  CHECK(shown(U"\U0001F469\u200dx") == utf8(U"\U0001F469") + "\\u{200d}x");
  CHECK(shown(U"\u0645\u200cx") == utf8(U"\u0645") + "\\u{200c}x");
  CHECK(shown(U"a\ufe0f\ufe0e") == utf8(U"a\ufe0f") + "\\u{fe0e}");
  CHECK(shown(U" \ufe0f") == " \\u{fe0f}");
}

TEST_CASE("JSON says the truth of them without holding them") {
  const std::string text = utf8(U"a\u202eb\U000E0041 ##[error] \u009b \u007f é 中");
  const std::string line = json_line(Json(text));
  CHECK(line == "\"a\\u202eb\\udb40\\udc41 #\\u0023[error] \\u009b \\u007f é 中\"");
  CHECK(Json::parse(line).get<std::string>() == text);
  CHECK(json_text(Json{{"##[x", "y"}}) == "{\n  \"#\\u0023[x\": \"y\"\n}\n");
  CHECK(json_line(Json("###[[#")) == "\"##\\u0023[[#\"");
}

TEST_CASE("no invisible character and no C1 control is left as it is in JSON") {
  for (char32_t c = 0x7F; c <= 0x10FFFF; c = c == 0xD7FF ? 0xE000 : c + 1) {
    if (!is_invisible(c) && c >= 0xA0) continue;
    const std::string text = utf8(std::u32string(1, c));
    if (with_visible_json(text) == text) FAIL(static_cast<uint32_t>(c));
  }
}
