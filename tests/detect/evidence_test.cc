// What the rules accept as evidence, and where.

#include <catch2/catch.hpp>

#include "stage.h"

namespace orch::detect {
namespace {

using event::AgentStatus;
using event::Cause;
using Kind = ConditionSpec::Kind;

// The statuses of a new agent whose screen stays like this for a second.
Lines statuses(const std::string& bytes, const RuleSetSpec& spec = sample_rules()) {
  Stage stage(spec);
  stage.draw(bytes);
  stage.wait(5000);
  return stage.changes();
}

// The sample rules and another one, with the highest priority.
RuleSetSpec with_rule(AgentStatus status, std::vector<ConditionSpec> when) {
  RuleSetSpec spec = sample_rules();
  RuleSpec rule;
  rule.id = "extra";
  rule.status = status;
  rule.priority = 1000;
  rule.when = std::move(when);
  spec.rules.push_back(std::move(rule));
  return spec;
}

}  // namespace

TEST_CASE("Text in the box is a draft, a command begins a menu") {
  CHECK(statuses(frame(with_box({}, "fix it"))) == Lines{"61 idle/draft"});
  CHECK(statuses(frame(with_box({}, "/help"))) == Lines{"61 idle/menu"});
  CHECK(statuses(frame(with_box({}, "Type here"))) == Lines{"61 idle"});
}

TEST_CASE("A draft that is written and deleted is told when it was seen twice") {
  Stage stage;
  stage.settle_idle();
  stage.draw(frame(with_box({}, "a")));
  stage.wait(1000);
  CHECK(stage.detector().latest().typed == "a");
  stage.draw(frame(with_box({})));
  stage.wait(1000);
  CHECK(stage.changes() == Lines{"1011 idle/draft", "2011 idle"});
  CHECK(stage.detector().latest().typed == "");
}

TEST_CASE("Words of a dialog in the agent's prose are no dialog") {
  CHECK(statuses(frame(with_box(
            {"● It says:", "  ❯ 1. Yes", "    2. No", "  Enter to confirm"}))) == Lines{"61 idle"});
}

TEST_CASE("An error counts in the last turn alone, and until the agent speaks again") {
  CHECK(statuses(frame(with_box({"> go", "● Error 500"}))) == Lines{"61 error/api"});
  CHECK(statuses(frame(with_box({"> go", "● Error 401"}))) == Lines{"61 error/auth"});
  CHECK(statuses(frame(with_box({"> go", "● Error 500", "● Done"}))) == Lines{"61 idle"});
  CHECK(statuses(frame(with_box({"● Error 500", "> again"}))) == Lines{"61 idle"});
}

TEST_CASE("An error's cause is read from its row on, and from all that stands beside its bar") {
  CHECK(statuses(frame(with_box({"> go", "● A 401 comes.", "● Error 500"}))) ==
        Lines{"61 error/api"});
  CHECK(statuses(frame(with_box({"> go", "● Error", "  of status 401"}))) ==
        Lines{"61 error/auth"});
  RuleSetSpec spec = sample_rules();
  spec.rules.back().when[0].pattern = "^┃ \\S";
  CHECK(statuses(frame(with_box({"> go", "┃ 401, which", "┃ is an error"})), spec) ==
        Lines{"61 error/auth"});
  CHECK(statuses(frame(with_box({"> go", "┃ a 401", "", "┃ an error"})), spec) ==
        Lines{"61 error/api"});
}

TEST_CASE("A cause is read from the dialog's own text, not from what stands above it") {
  Lines rows = kPermission;
  rows[0] = "● Do you trust me?";
  CHECK(statuses(frame(rows)) == Lines{"61 waiting/permission"});
}

TEST_CASE("A cause's pattern is found over a line break") {
  RuleSetSpec spec = sample_rules();
  spec.rules[2].causes = {{Cause::kPlan, "Run touch"}};
  Lines rows = kPermission;
  rows[3] = " Run";
  rows.insert(rows.begin() + 4, " touch out.txt?");
  CHECK(statuses(frame(rows), spec) == Lines{"61 waiting/plan"});
}

TEST_CASE("An agent's report of itself is evidence, as a row and as joined text") {
  for (const Kind kind : {Kind::kMatch, Kind::kJoined}) {
    const RuleSetSpec spec =
        with_rule(AgentStatus::kWaiting, {{kind, {Region::kReport, 0}, "^blocked", "", {}}});
    CHECK(statuses("\x1b]7501;state=blocked\a" + frame(with_box({})), spec) == Lines{"61 waiting"});
    CHECK(statuses("\x1b]7501;state=idle\a" + frame(with_box({})), spec) == Lines{"61 idle"});
  }
}

TEST_CASE("Progress is evidence") {
  for (const Kind kind : {Kind::kMatch, Kind::kJoined}) {
    const RuleSetSpec spec =
        with_rule(AgentStatus::kWorking, {{kind, {Region::kProgress, 0}, "^normal 40$", "", {}}});
    CHECK(statuses("\x1b]9;4;1;40\a" + frame(with_box({})), spec) == Lines{"1001 working"});
    CHECK(statuses("\x1b]9;4;1;41\a" + frame(with_box({})), spec) == Lines{"61 idle"});
    CHECK(statuses("\x1b]9;4;0\a" + frame(with_box({})), spec) == Lines{"61 idle"});
  }
}

TEST_CASE("A title that never came can be asked for") {
  const RuleSetSpec spec =
      with_rule(AgentStatus::kError, {{Kind::kMatch, {Region::kTitle, 0}, "^$", "", {}}});
  CHECK(statuses(frame({"text"}), spec) == Lines{"61 error"});
  CHECK(statuses(titled("a title") + frame({"text"}), spec).empty());
}

TEST_CASE("any needs one of its parts, all every one") {
  const ConditionSpec box{Kind::kBox, {}, "", "", {}};
  const ConditionSpec word{Kind::kMatch, {Region::kScreen, 0}, "word", "", {}};
  const RuleSetSpec any = with_rule(AgentStatus::kError, {{Kind::kAny, {}, "", "", {box, word}}});
  const RuleSetSpec all = with_rule(AgentStatus::kError, {{Kind::kAll, {}, "", "", {box, word}}});
  CHECK(statuses(frame({"word"}), any) == Lines{"61 error"});
  CHECK(statuses(frame({"text"}), any).empty());
  CHECK(statuses(frame({"word"}), all).empty());
  CHECK(statuses(frame(with_box({"word"})), all) == Lines{"61 error"});
}

TEST_CASE("A row that must not be there, and a menu that must not") {
  const RuleSetSpec no_row =
      with_rule(AgentStatus::kError, {{Kind::kNoMatch, {Region::kBottom, 2}, "word", "", {}}});
  CHECK(statuses(frame({"word", "1", "2"}), no_row) == Lines{"61 error"});
  CHECK(statuses(frame({"1", "word", "2"}), no_row).empty());
  const RuleSetSpec no_menu =
      with_rule(AgentStatus::kError, {{Kind::kNoMenu, {Region::kScreen, 0}, "", "", {}}});
  CHECK(statuses(frame({"text"}), no_menu) == Lines{"61 error"});
  CHECK(statuses(frame(kPermission), no_menu) == Lines{"61 waiting/permission"});
}

}  // namespace orch::detect
