// JSON from outside: what is not read, whatever it says.
#include "base/json.h"

#include <catch2/catch.hpp>
#include <string>

using orch::base::JsonShape;
using orch::base::kMostJsonDepth;
using orch::base::kMostJsonMembers;
using orch::base::nests_too_deep;
using orch::base::parse_json;
using orch::base::shape_of_json;

namespace {

std::string nested(int depth) {
  const auto levels = static_cast<size_t>(depth);
  return std::string(levels, '[') + std::string(levels, ']');
}

std::string object_of(size_t members) {
  std::string text = "{";
  for (size_t i = 0; i < members; ++i) text += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":{}";
  return text + "}";
}

}  // namespace

TEST_CASE(
    "JSON that nests too deep is not read, since a value is copied and written by recursion") {
  CHECK(parse_json(nested(kMostJsonDepth)).is_array());
  CHECK(parse_json(nested(kMostJsonDepth + 1)).is_discarded());
  CHECK(parse_json(nested(1'000'000)).is_discarded());
  CHECK(parse_json(R"({"a":)" + nested(kMostJsonDepth) + "}").is_discarded());
}

TEST_CASE("brackets in strings and comments, and those that are closed, do not nest") {
  const std::string many(1'000, '[');
  CHECK_FALSE(nests_too_deep("\"" + many + "\""));
  CHECK_FALSE(nests_too_deep(R"("\")" + many + "\""));
  CHECK_FALSE(nests_too_deep("//" + many));
  CHECK_FALSE(nests_too_deep("/*" + many + "*/"));
  std::string beside;
  for (int i = 0; i < 1'000; ++i) beside += "{\"a\":[]},";
  CHECK_FALSE(nests_too_deep(beside));
}

TEST_CASE("nothing before it hides what nests too deep") {
  const std::string deep = nested(kMostJsonDepth + 1);
  for (const char* before : {"\"\\\\\"", "\"\\\"\"", "//\"\n", "//\"\r", "//\"\r\n", "/*\"*/",
                             "/**/", "/", "//[\n", "/*/*/"}) {
    CAPTURE(before);
    CHECK(nests_too_deep(before + deep));
  }
  CHECK(nests_too_deep(std::string("//\"\0", 4) + deep));
}

TEST_CASE("what ends in the middle of a string or a comment is looked at to its end") {
  for (const char* text : {"\"", "\"\\", "/", "//", "/*", "/*/", ""}) {
    CAPTURE(text);
    CHECK_FALSE(nests_too_deep(text));
    CHECK(parse_json(text).is_discarded());
  }
}

TEST_CASE("an object of very many members is not read, since each is compared with all others") {
  CHECK(parse_json(object_of(kMostJsonMembers)).size() == kMostJsonMembers);
  CHECK(parse_json(object_of(kMostJsonMembers + 1)).is_discarded());
  CHECK(shape_of_json("[" + object_of(200'000) + "]") == JsonShape::kTooWide);
  std::string list = "[" + object_of(6);
  for (size_t i = 0; i < kMostJsonMembers; ++i) list += "," + object_of(6);
  CHECK(parse_json(list + "]").size() == kMostJsonMembers + 1);
  CHECK(shape_of_json("]]]" + std::string(100'000, ':')) == JsonShape::kFits);
  CHECK(shape_of_json(std::string(kMostJsonMembers + 1, ':')) == JsonShape::kTooWide);
}
