#include "base/literals.h"

#include <catch2/catch.hpp>

namespace orch::base {
namespace {

using Strings = std::vector<std::string>;

bool found(const std::string& expression, std::string_view text) {
  LiteralScan scan;
  scan.add(required_literals(expression));
  std::string framed;
  frame_text(text, framed);
  return scan.any_in(framed);
}

}  // namespace

TEST_CASE("The literals that an expression requires") {
  const std::pair<const char*, Strings> cases[] = {
      {"esc to interrupt", {"esc to interrupt"}},
      {"^● ", {"\n● "}},
      {"^[●⏺] (API Error\\b|Invalid)",
       {"\n⏺ api error", "\n⏺ invalid", "\n● api error", "\n● invalid"}},
      {"(?i)to", {"to"}},
      {"(?i)ok", {"ok", "o\u212a"}},
      {"^[⠁-⢿]", {"\n\xe2\xa0", "\n\xe2\xa1", "\n\xe2\xa2"}},
      {"x{2,}yz", {"xyz"}},
      {"a?bc", {"abc", "bc"}},
      {"a*bc", {"bc"}},
      {"(one|two)+$", {"one\n", "two\n"}},
      {"short.*longer", {"longer"}},
      {"a\\.b", {"a.b"}},
      {"^\\s*\\p{So}{3,}", {"\xff\xff\xff\xff\xff\xff"}},
      {"^\\p{So} ", {"\n\xff\xff"}},
      {"\\x{a0}x", {"\u00a0x"}},
  };
  for (const auto& [expression, literals] : cases) {
    INFO(expression);
    Strings sorted = required_literals(expression);
    CHECK(sorted == literals);
  }
}

TEST_CASE("Expressions of which nothing is known") {
  for (const char* expression : {".", "^", "", "a|.*", "\\s", "[^a]", "(?m)^a", "(?P<n>a)", "\\pL",
                                 "a*", "(a|)", "[[:alpha:]]", "\\Qa.b\\E", "^^", "^$"}) {
    INFO(expression);
    CHECK(required_literals(expression).empty());
  }
}

TEST_CASE("Two anchors side by side need one edge only") {
  CHECK(found("^(^abc|x)", "abc"));
  CHECK(found("abc$$", "abc"));
}

TEST_CASE("A scan finds its literals at any place, at the edges, and nothing else") {
  for (const char* text : {"needle", "a needle", "NEEDLE", "needles in hay", "e needleneedle"}) {
    CHECK(found("needle", text));
  }
  for (const char* text : {"", "n", "needl", "need le", "needl\0e"})
    CHECK_FALSE(found("needle", text));
  CHECK(found("^❯$", "❯"));
  CHECK_FALSE(found("^❯$", "❯ "));
  CHECK_FALSE(found("^❯$", " ❯"));
  CHECK(found("!$", "stop!"));
  CHECK_FALSE(found("!$", "stop! now"));
}

TEST_CASE("A scan takes more sets of literals than it has groups") {
  LiteralScan scan;
  for (int i = 0; i < 200; ++i) scan.add({"word" + std::to_string(i) + ";"});
  for (int i = 0; i < 210; ++i) {
    std::string framed;
    frame_text("a word" + std::to_string(i) + ";", framed);
    CHECK(scan.any_in(framed) == (i < 200));
  }
}

}  // namespace orch::base
