#include "driver/typed_text.h"

#include <catch2/catch.hpp>

namespace orch::driver {
namespace {

bool shows(std::string_view typed, std::string_view box) {
  return TypedText(typed, nullptr).is_shown_by(box);
}

TEST_CASE("composed and decomposed accents are the same text") {
  CHECK(shows("cafe\u0301 au lait", "caf\u00e9 au lait"));
  CHECK(shows("caf\u00e9 au lait", "caf\u00e9 au lait"));
  CHECK(shows("a\u0308o\u0308u\u0308", "\u00e4\u00f6\u00fc"));
  CHECK(shows("か\u3099き\u3099", "がぎ"));
  CHECK(shows("\u1112\u1161\u11ab", "한"));  // Hangul of three parts, and composed
}

TEST_CASE("other letters are not") {
  CHECK_FALSE(shows("cafe\u0301 au lait", "caf\u00e9 au vin"));
  CHECK_FALSE(shows("cafe\u0301", "cafe"));
  CHECK_FALSE(shows("caf\u00e9", "caf\u00e8"));  // nothing to compose: exactly
  CHECK_FALSE(shows("日本", "日木"));
}

TEST_CASE("joined emoji are recognised by what stands around them") {
  CHECK(shows("ok \U0001F44D\U0001F3FD and \u2764\ufe0f\u200d\U0001F525 too",
              "ok \U0001F44D\U0001F3FD and \u2764\U0001F525 too"));
}

TEST_CASE("a long text is known by its end, but not when more stands before it") {
  const std::string text = "first of all the long text, and then all of the rest of it";
  CHECK(shows(text, "then all of the rest of it"));
  CHECK_FALSE(shows(text, "rest of it"));
  CHECK_FALSE(shows(text, "what a human wrote before this was typed behind it: " + text));
}

}  // namespace
}  // namespace orch::driver
