#include "exchange/members.h"

#include <catch2/catch.hpp>

namespace {

using namespace orch::exchange;

TEST_CASE("a member of the outermost object is found, and none of another") {
  constexpr std::string_view kJson =
      R"({"a": {"model": "no", "x": ["}"]}, "model": "yes", "n": 1.5, "tools": [{}], "e": [ ] })";
  CHECK(member_word(kJson, "model") == "yes");
  CHECK(member_text(kJson, "n") == "1.5");
  CHECK(has_elements(kJson, "tools"));
  CHECK_FALSE(has_elements(kJson, "e"));
  CHECK_FALSE(has_elements(kJson, "x"));
  CHECK_FALSE(member_text(kJson, "missing"));
}

TEST_CASE("quotes and backslashes inside of texts end nothing") {
  constexpr std::string_view kJson = R"({"a":"\"model\":\"no\"\\","model":"m"})";
  CHECK(member_word(kJson, "model") == "m");
  CHECK(member_word(R"({"model":"a\nb"})", "model").empty());
}

TEST_CASE("the last of two members counts, as it does for a parser") {
  CHECK(member_text(R"({"stream":false,"stream":true})", "stream") == "true");
}

TEST_CASE("a text that is not JSON, or is cut off, has no members") {
  for (const char* text :
       {"", "{", "{\"", "{\"a", "{\"a\"", "{\"a\":", "[1]", "\x28\xb5\x2f\xfd"}) {
    CHECK_FALSE(has_elements(text, "a"));
  }
}

}  // namespace
