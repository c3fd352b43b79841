#include "detect/rules.h"

#include <catch2/catch.hpp>

#include "stage.h"

namespace orch::detect {
namespace {

std::string error_of(const RuleSetSpec& spec) {
  const base::Result<RuleSet> rules = RuleSet::compile(spec);
  return rules.ok() ? "" : rules.error().text;
}

}  // namespace

TEST_CASE("Rules are tried by priority, equals in their order") {
  RuleSetSpec spec = sample_rules();
  for (RuleSpec& rule : spec.rules) rule.priority = rule.id == "error" ? 2 : 1;
  const RuleSet rules = compiled(spec);
  std::vector<std::string> names;
  for (const Rule& rule : rules.rules) names.push_back(rule.name);
  CHECK(names == std::vector<std::string>{"sample/error", "sample/prompt", "sample/title",
                                          "sample/dialog", "sample/unknown-dialog"});
}

TEST_CASE("A bad expression of a rule is named by rule and condition") {
  RuleSetSpec spec = sample_rules();
  spec.rules[4].when[0].pattern = "(";
  CHECK(error_of(spec).find("rule error: when[0]: pattern \"(\": ") == 0);
  spec = sample_rules();
  spec.rules[4].when[0].unless_after = "[";
  CHECK(error_of(spec).find("rule error: when[0]: unless_after: pattern \"[\": ") == 0);
  spec = sample_rules();
  spec.rules[4].causes[0].pattern = "*";
  CHECK(error_of(spec).find("rule error: cause auth: pattern \"*\": ") == 0);
}

TEST_CASE("Rules that are compiled when they are searched leave errors to those who checked them") {
  RuleSetSpec spec = sample_rules();
  spec.rules[4].when[0].pattern = "(";
  spec.box.placeholder = "(";
  const base::Result<RuleSet> rules = RuleSet::compile(spec, Compiled::kWhenSearched);
  REQUIRE(rules);
  rules->prepare();
  CHECK_FALSE(rules->boxes.front().placeholder->matches("("));
  CHECK(rules->rows.match("  2. No").test(rules->menu_option));
}

TEST_CASE("A bad expression of the box is named by its field") {
  for (const auto& [field, name] :
       {std::pair{&BoxSpec::prompt, "prompt"}, std::pair{&BoxSpec::not_prompt, "not_prompt"},
        std::pair{&BoxSpec::top, "top"}, std::pair{&BoxSpec::bottom, "bottom"},
        std::pair{&BoxSpec::side, "side"}, std::pair{&BoxSpec::placeholder, "placeholder"}}) {
    RuleSetSpec spec = sample_rules();
    spec.box.*field = "a(";
    CHECK(error_of(spec).find("box: " + std::string(name) + ": pattern \"a(\": ") == 0);
  }
}

TEST_CASE("Too many patterns are an error that names the rule") {
  RuleSetSpec spec = sample_rules();
  for (int i = 0; i < 200; ++i) {
    RuleSpec rule = spec.rules[1];
    rule.id = "r" + std::to_string(i);
    rule.when[0].in = {Region::kScreen, 0};
    rule.when[0].pattern = "text" + std::to_string(i);
    spec.rules.push_back(rule);
  }
  CHECK(error_of(spec).find(": more than 128 patterns") != std::string::npos);
  CHECK(error_of(spec).find("rule r1") == 0);
}

TEST_CASE("Patterns that are searched for one by one are as many as those of a set") {
  RuleSetSpec spec;
  spec.agent = "many";
  RuleSpec rule;
  rule.id = "joined";
  ConditionSpec& condition = rule.when.emplace_back();
  condition.kind = ConditionSpec::Kind::kJoined;
  condition.pattern = "text";
  spec.rules.assign(128, rule);
  CHECK(error_of(spec).empty());
  spec.notices.push_back({.id = "notice", .pattern = "text", .status = std::nullopt});
  CHECK(error_of(spec) == "notice notice: more than 128 patterns");
  spec.notices.clear();
  spec.rules.back().causes.push_back({event::Cause::kNone, "text"});
  CHECK(error_of(spec) == "rule joined: cause : more than 128 patterns");
}

}  // namespace orch::detect
