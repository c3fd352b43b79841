#include "base/pattern.h"

#include <catch2/catch.hpp>

namespace orch::base {

TEST_CASE("A pattern is searched for anywhere in UTF-8 text") {
  const base::Result<Pattern> pattern = Pattern::compile("^[⠁-⣿] .*wörk");
  REQUIRE(pattern);
  CHECK(pattern->matches("⠋ at wörk"));
  CHECK_FALSE(pattern->matches("at wörk"));
  CHECK(pattern->expression() == "^[⠁-⣿] .*wörk");
}

TEST_CASE("A pattern that is not RE2 is an error that shows it") {
  for (const char* bad : {"(", "a**", "(?<=look)behind", "\\1", "[z-a]", "\xff"}) {
    const base::Result<Pattern> pattern = Pattern::compile(bad);
    REQUIRE_FALSE(pattern);
    CHECK(pattern.error().code == base::ErrorCode::kUsage);
    CHECK(pattern.error().text.find("pattern \"" + std::string(bad) + "\": ") == 0);
  }
}

TEST_CASE("capture gives the first group, or the whole match without one") {
  std::string captured = "before";
  CHECK(Pattern::compile("v(\\d+)\\.(\\d+)").value().capture("at v2.1", &captured));
  CHECK(captured == "2");
  CHECK(Pattern::compile("\\d+").value().capture("at 17", &captured));
  CHECK(captured == "17");
  CHECK(Pattern::compile("x(y)?").value().capture("x", &captured));
  CHECK(captured.empty());
  captured = "kept";
  CHECK_FALSE(Pattern::compile("\\d+").value().capture("none", &captured));
  CHECK(captured == "kept");
}

TEST_CASE("A pattern that is compiled when it is searched matches the same; a bad one, nothing") {
  const auto later = [](const char* expression) {
    return Pattern::compile(expression, Compiled::kWhenSearched).value();
  };
  CHECK(later("^wörk").matches("wörk on"));
  CHECK_FALSE(later("^wörk").matches("at wörk"));
  std::string captured;
  CHECK(later("v(\\d+)").capture("at v2.1", &captured));
  CHECK(captured == "2");
  CHECK_FALSE(later("(").matches("("));
  CHECK_FALSE(later("(").capture("(", &captured));
  CHECK(later("(").expression() == "(");
}

TEST_CASE("A set that is compiled when it is searched matches the same; a bad one, nothing") {
  PatternSet set(Compiled::kWhenSearched);
  const size_t digit = set.add("\\d").value();
  const size_t bad = set.add("a(").value();
  const size_t word = set.add("^[a-z]+$").value();
  const size_t start = set.add("^a").value();
  REQUIRE(set.compile());
  CHECK(set.match("abc") == PatternBits().set(word).set(start));
  CHECK(set.match("a1") == PatternBits().set(digit).set(start));
  CHECK(set.match_by_expressions("a1") == PatternBits().set(digit).set(start));
  CHECK_FALSE(set.match("a(").test(bad));
  CHECK(set.match("").none());

  PatternSet prepared(Compiled::kWhenSearched);
  prepared.prepare();  // nothing to compile yet
  CHECK(prepared.add("^b").value() == 0);
  prepared.prepare();
  CHECK(prepared.match("bc") == PatternBits().set(0));
  CHECK(prepared.match("cb").none());
}

TEST_CASE("A set that has matched a text matches it again") {
  PatternSet set(Compiled::kWhenSearched);
  const size_t start = set.add("^a").value();
  for (int i = 0; i < 2'000; ++i) {  // more texts than are remembered
    CHECK(set.match("a" + std::to_string(i)) == PatternBits().set(start));
    CHECK(set.match("b" + std::to_string(i)).none());
  }
  CHECK(set.match("a1") == PatternBits().set(start));
  CHECK(set.match("b1999").none());
  CHECK(set.match("b1999").none());
}

TEST_CASE("A set tells which of its patterns match") {
  PatternSet set;
  const size_t digit = set.add("\\d").value();
  const size_t word = set.add("^[a-z]+$").value();
  const size_t start = set.add("^a").value();
  REQUIRE(set.compile());
  CHECK(set.match("abc") == PatternBits().set(word).set(start));
  CHECK(set.match("a1") == PatternBits().set(digit).set(start));
  CHECK(set.match("").none());
}

TEST_CASE("The same expression has the same bit") {
  PatternSet set;
  const size_t first = set.add("a").value();
  CHECK(set.add("b").value() != first);
  CHECK(set.add("a").value() == first);
  CHECK(set.size() == 2);
  CHECK(set.expression(first) == "a");
}

TEST_CASE("An empty set compiles and matches nothing") {
  PatternSet set;
  REQUIRE(set.compile());
  CHECK(set.match("anything").none());
}

TEST_CASE("A bad expression of a set is an error that shows it, and takes no bit") {
  PatternSet set;
  const base::Result<size_t> added = set.add("a(");
  REQUIRE_FALSE(added);
  CHECK(added.error().text.find("pattern \"a(\": ") == 0);
  CHECK(set.size() == 0);
  CHECK(set.add("a").value() == 0);
}

TEST_CASE("A set takes 128 expressions and refuses one more") {
  PatternSet set;
  for (size_t i = 0; i < kMaxPatterns; ++i) REQUIRE(set.add("row" + std::to_string(i) + "$"));
  const base::Result<size_t> added = set.add("one more");
  REQUIRE_FALSE(added);
  CHECK(added.error().text == "more than 128 patterns");
  CHECK(set.add("row7$").value() == 7);
  REQUIRE(set.compile());
  CHECK(set.match("row127") == PatternBits().set(127));
}

}  // namespace orch::base
