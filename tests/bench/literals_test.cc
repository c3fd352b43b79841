#include "accuracy/literals.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "adapters/registry.h"
#include "base/pattern.h"

namespace orch::accuracy {
namespace {

using Texts = std::vector<std::string>;

Texts texts_in(std::string_view expression) {
  Texts texts;
  for (const Literal& literal : literals_in(expression)) texts.push_back(literal.text);
  return texts;
}

Literal literal(std::string_view expression) {
  const std::vector<Literal> found = literals_in(expression);
  REQUIRE(found.size() == 1);
  return found.front();
}

bool falls(std::string_view other, std::string_view with) {
  return falls_with(literal(other), literal(with));
}

detect::RuleSetSpec spec_of(std::vector<std::string> patterns) {
  detect::RuleSetSpec spec;
  detect::RuleSpec& rule = spec.rules.emplace_back();
  for (std::string& pattern : patterns) rule.when.emplace_back().pattern = std::move(pattern);
  return spec;
}

// The pattern of the first condition after `removed` was taken away.
std::string first_without(const std::string& expression, std::string_view removed) {
  const detect::RuleSetSpec spec = without(spec_of({expression}), literal(removed));
  return spec.rules.front().when.front().pattern;
}

bool matches(const std::string& expression, std::string_view text) {
  const base::Result<base::Pattern> pattern = base::Pattern::compile(expression);
  REQUIRE(pattern);
  return pattern->matches(text);
}

}  // namespace

TEST_CASE("Alternatives, and what stands between wildcards, are literals of their own") {
  CHECK(texts_in("(?i)Esc to (cancel|exit)|ctrl\\+g") ==
        Texts{"Esc to", "cancel", "exit", "ctrl+g"});
  CHECK(texts_in("^■ .*esc\\s+now$") == Texts{"■", "esc", "now"});
  CHECK(texts_in("Allow once\\s+Allow always") == Texts{"Allow once", "Allow always"});
}

TEST_CASE("A character with a quantifier is a literal of its own") {
  CHECK(texts_in("▄{10}x") == Texts{"▄", "x"});
  CHECK(texts_in("plans?!") == Texts{"plan", "s", "!"});
  CHECK(texts_in("a+?b{2,}") == Texts{"a", "b"});
  CHECK(texts_in("a{b") == Texts{"a{b"});
}

TEST_CASE("A class with glyphs is one literal") {
  CHECK(texts_in("^[⠁-⣿] x") == Texts{"[⠁-⣿]", "x"});
  CHECK(texts_in("[\\s│┃|]*") == Texts{"[\\s│┃|]"});
  CHECK(texts_in("[]x]") == Texts{"[]x]"});
  CHECK(literal("[a-z❯\\x{203a}]").members.size() == 2);
}

TEST_CASE("What says where something stands is no literal") {
  for (const char* none :
       {"", "^\\s*$", "(?i)\\b\\d{2}\\w", "[^x]", "[A-Za-z0-9_-]+", "  ", "\\x{a0}",
        "\\pS\\p{So}\\PL", "[\\pS\\pP]", "[[:alpha:]]", "[\\s\\x{a0}]"}) {
    INFO(none);
    const Texts texts = texts_in(none);
    CHECK((texts.empty() || texts == Texts{"[A-Za-z0-9_-]"}));
  }
}

TEST_CASE("Any bytes are scanned to their end") {
  for (const char* odd : {"(", "[", "[^", "[a-", "\\", "\\x", "\\x{", "\\p", "\\p{L", "(?", "a{1",
                          "[[:", "\xff[\xe2"}) {
    INFO(odd);
    for (const Literal& found : literals_in(odd)) CHECK(found.end <= std::string_view(odd).size());
  }
}

TEST_CASE("Words fall with the words they are part of, and with those they hold") {
  CHECK(falls("esc to interrupt", "ESC TO INTERRUPT"));
  CHECK(falls("esc to interrupt\\)", "interrupt"));
  CHECK(falls("esc", "esc to interrupt"));
  CHECK_FALSE(falls("interrupted", "interrupt"));
  CHECK_FALSE(falls("escape", "esc"));
}

TEST_CASE("A glyph falls with itself, in a class too, and not with the words beside it") {
  CHECK(falls("✦", "[✦✧]"));
  CHECK(falls("[✦✧]", "✦"));
  CHECK(falls("△ Permission required", "△"));
  CHECK(falls("[⠁-⣿]", "⠂"));
  CHECK_FALSE(falls("△", "△ Permission required"));
  CHECK_FALSE(falls("[✦✧]", "✦ Working"));
  CHECK_FALSE(falls("[>!*]", ">"));  // ASCII: the same character serves many purposes
  CHECK_FALSE(falls("✦", "[●⏺]"));
}

TEST_CASE("Without a literal its places match nothing and the others what they did") {
  const std::string changed = first_without("^(Esc|Tab) to cancel|Enter", "esc");
  CHECK_FALSE(matches(changed, "Esc to cancel"));
  CHECK(matches(changed, "Tab to cancel"));
  CHECK(matches(changed, "Enter"));
}

TEST_CASE("A class loses the members it shares with what is removed") {
  const std::string changed = first_without("^[\\s●⏺] x", "●");
  CHECK_FALSE(matches(changed, "● x"));
  CHECK(matches(changed, "⏺ x"));
  CHECK(matches(changed, "  x"));
  CHECK_FALSE(matches(first_without("^[●⏺] x", "[●⏺]"), "⏺ x"));
}

TEST_CASE("Every literal of every agent is found, and can be taken away") {
  const base::Result<adapters::Registry> registry = adapters::Registry::load({});
  REQUIRE(registry);
  for (const adapters::Manifest& manifest : registry->all()) {
    detect::RuleSetSpec whole = manifest.rules;
    const std::vector<std::string*> before = expressions_of(whole);
    for (const Literal& gone : distinct_literals(manifest.rules)) {
      INFO(manifest.name << " without " << gone.text);
      detect::RuleSetSpec rules = without(manifest.rules, gone);
      CHECK(detect::RuleSet::compile(rules));
      const std::vector<std::string*> after = expressions_of(rules);
      CHECK_FALSE(std::equal(before.begin(), before.end(), after.begin(), after.end(),
                             [](const std::string* a, const std::string* b) { return *a == *b; }));
      const std::vector<Literal> left = distinct_literals(rules);
      CHECK(std::none_of(left.begin(), left.end(), [&gone](const Literal& other) {
        return other.text == gone.text && other.members == gone.members;
      }));
    }
  }
}

}  // namespace orch::accuracy
