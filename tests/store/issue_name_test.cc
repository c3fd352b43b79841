#include "store/issue_name.h"

#include <catch2/catch.hpp>
#include <string>
#include <string_view>

using namespace orch::store;
using namespace std::string_view_literals;

TEST_CASE("numbers and slugs are names") {
  for (const auto name : {"42", "0", "a", "Z", "fix-login_2", "x--", "7_"}) {
    INFO(name);
    CHECK(check_issue_name(name));
  }
  CHECK(check_issue_name(std::string(64, 'a')));
}

TEST_CASE("what could leave a path, a socket or a command line is not a name") {
  for (const auto name : {""sv, "../x"sv, "a;b"sv, "-x"sv, "_x"sv, "."sv, "a/b"sv, "a b"sv, "a\n"sv,
                          "a\0b"sv, "\xC3\xA9"sv, "a\xFF"sv, "#42"sv, "$HOME"sv, "a."sv}) {
    INFO(name);
    const auto status = check_issue_name(name);
    REQUIRE_FALSE(status);
    CHECK(status.error().code == orch::base::ErrorCode::kUsage);
  }
  CHECK_FALSE(check_issue_name(std::string(65, 'a')));
}

TEST_CASE("the error names the thing and the remedy on one line of a terminal") {
  CHECK(check_issue_name("a;b").error().text ==
        "the issue name 'a;b' is not allowed: use letters, digits, '-' and '_', a letter or digit "
        "first, at most 64 of them");
  CHECK(check_issue_name("").error().text.find("the issue name is empty: use ") == 0);
  const std::string text = check_issue_name("x\n\x1b[2J" + std::string(5000, 'y')).error().text;
  CHECK(text.find_first_of("\n\x1b") == std::string::npos);
  CHECK(text.size() < 300);
}

TEST_CASE("an issue's session is orch-<issue>") { CHECK(session_name("42") == "orch-42"); }
