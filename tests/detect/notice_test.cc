// What an agent reports about itself, compared with what its screen shows.

#include "detect/notice.h"

#include <catch2/catch.hpp>

#include "stage.h"

namespace orch::detect {

using event::AgentStatus;
using event::Cause;

namespace {

RuleSetSpec with_notices(bool weak_prompt) {
  RuleSetSpec spec = sample_rules();
  for (RuleSpec& rule : spec.rules) {
    if (rule.id == "prompt") rule.weak = weak_prompt;
  }
  const auto notice = [&spec](std::string id, std::string pattern,
                              std::optional<AgentStatus> status, Cause cause = Cause::kNone) {
    spec.notices.push_back({std::move(id), std::move(pattern), status, cause});
  };
  notice("hidden", "^hook Stop side-thread", std::nullopt);
  notice("submit", "^hook Submit", AgentStatus::kWorking);
  notice("ask", "^hook Ask", AgentStatus::kWaiting, Cause::kQuestion);
  notice("stop", "^hook Stop", AgentStatus::kIdle);
  notice("failure", "^hook Failure", AgentStatus::kError, Cause::kApi);
  return spec;
}

// A stage with an idle agent. With `weak_prompt`, the prompt is also drawn while it works.
struct Noticing : Stage {
  explicit Noticing(bool weak_prompt = true) : Stage(with_notices(weak_prompt)) { settle_idle(); }
  void notice(std::string_view text) { detector().on_notice(now(), text); }
};

}  // namespace

TEST_CASE("A prompt that is always drawn yields to a hook that says working") {
  Noticing stage;
  stage.notice("hook Submit");
  stage.wait(500);
  CHECK(stage.changes() == Lines{"1001 working"});
  CHECK(stage.last_change().rule == "sample/notice/submit");
  stage.notice("hook Stop");
  stage.wait(500);
  CHECK(stage.changes() == Lines{"1651 idle"});
  CHECK(stage.last_change().rule == "sample/prompt");
}

TEST_CASE("An agent whose turn has a request under way is never idle") {
  Noticing stage;
  stage.notice(kModelAsked);
  stage.wait(30'000);
  CHECK(stage.changes() == Lines{"1001 working"});
  stage.notice(kModelAnswered);
  stage.wait(500);
  CHECK(stage.changes().size() == 1);
  CHECK(stage.detector().status() == AgentStatus::kIdle);
}

TEST_CASE("A dialog is seen while a request is under way") {
  Noticing stage;
  stage.notice(kModelAsked);
  stage.draw(frame(kPermission));
  stage.wait(1'000);
  CHECK(stage.detector().status() == AgentStatus::kWaiting);
}

TEST_CASE("A hook that never said stop is not believed for ever") {
  Noticing stage;
  stage.notice("hook Submit");
  stage.wait(20'000);
  CHECK(stage.changes() == Lines{"1001 working", "11150 idle"});
}

TEST_CASE("A prompt that says idle by itself overrules a hook that says working") {
  Noticing stage(/*weak_prompt=*/false);
  stage.notice("hook Submit");
  stage.wait(5'000);
  CHECK(stage.changes().empty());
}

TEST_CASE("A prompt is believed once the agent has said how its turn ended, or a second later") {
  Noticing stage(/*weak_prompt=*/false);
  stage.draw(titled("* busy"));
  stage.notice("hook Submit");
  stage.wait(1'000);
  stage.draw(titled("demo"));
  stage.wait(400);
  CHECK(stage.changes() == Lines{"1001 working"});
  SECTION("in an error") {
    stage.notice("hook Failure");
    stage.wait(1'000);
    CHECK(stage.changes() == Lines{"2411 error/api"});
  }
  SECTION("well") {
    stage.notice("hook Stop");
    stage.wait(1'000);
    CHECK(stage.changes() == Lines{"2401 idle"});
  }
  SECTION("it does not say") {
    stage.wait(1'000);
    CHECK(stage.changes() == Lines{"3001 idle"});
  }
}

TEST_CASE("A visible working screen overrules a stale hook until it stands still") {
  Noticing stage;
  stage.draw(titled("* busy"));
  stage.wait(500);
  stage.notice("hook Stop");
  for (int i = 0; i < 10; ++i) {
    stage.draw(titled(i % 2 == 0 ? "* busy ." : "* busy"));
    stage.wait(1000);
  }
  CHECK(stage.changes() == Lines{"1001 working"});
  stage.wait(5'000);
  CHECK(stage.changes() == Lines{"13650 idle"});
  CHECK(stage.last_change().rule == "sample/notice/stop");
}

TEST_CASE("A dialog on the screen overrules every notice") {
  Noticing stage;
  stage.draw(frame(kPermission));
  stage.wait(500);
  stage.notice("hook Submit");
  stage.wait(5'000);
  stage.notice("hook Stop");
  stage.wait(5'000);
  CHECK(stage.changes() == Lines{"1061 waiting/permission"});
}

TEST_CASE("A hook tells of a dialog that no rule knows, until a key answers it") {
  Noticing stage;
  stage.draw(frame({"Something new", "in place of the box"}));
  stage.wait(200);
  stage.notice("hook Ask");
  stage.wait(60'000);
  CHECK(stage.changes() == Lines{"1261 waiting/question"});
  stage.type("\r");
  stage.draw(frame(with_box({"Done"})));
  stage.wait(1000);
  CHECK(stage.changes() == Lines{"61351 idle"});
}

TEST_CASE("Where an input box stands there is no dialog, whatever a late notice says") {
  Noticing stage;
  stage.notice("hook Ask");
  stage.wait(5'000);
  CHECK(stage.changes().empty());
}

TEST_CASE("A hook tells of an error that the screen does not show, until the next message") {
  Noticing stage;
  stage.notice("hook Failure");
  stage.wait(5'000);
  CHECK(stage.changes() == Lines{"1151 error/api"});
  stage.type("\r");
  stage.wait(1'000);
  CHECK(stage.changes() == Lines{"6190 idle"});
}

TEST_CASE("An interrupted turn ends without a hook, and what it leaves behind begins none") {
  Noticing stage;
  stage.notice("hook Submit");
  stage.wait(500);
  stage.type("\x1b");
  stage.wait(500);
  stage.notice("hook Submit late");
  stage.wait(5'000);
  CHECK(stage.changes() == Lines{"1001 working", "1690 idle"});
}

TEST_CASE("A notice that means nothing changes nothing") {
  Noticing stage;
  stage.notice("hook Submit");
  stage.wait(500);
  stage.notice("hook Stop side-thread");
  stage.notice("hook Unheard");
  stage.wait(500);
  CHECK(stage.changes() == Lines{"1001 working"});
}

TEST_CASE("Where the screen says nothing, hooks alone tell the status") {
  RuleSetSpec spec = with_notices(true);
  spec.rules.clear();
  Stage stage(spec);
  stage.draw(frame({"an interface of the future"}));
  stage.detector().on_notice(stage.now(), "hook Submit");
  stage.wait(2'000);
  stage.detector().on_notice(stage.now(), "hook Ask");
  stage.wait(2'000);
  stage.type("1");
  stage.detector().on_notice(stage.now(), "hook Submit");
  stage.wait(2'000);
  stage.detector().on_notice(stage.now(), "hook Stop");
  stage.wait(2'000);
  CHECK(stage.changes() ==
        Lines{"1001 working", "2061 waiting/question", "4001 working", "7150 idle"});
}

TEST_CASE("While a call of its waits for a person the agent waits, whatever it draws") {
  Noticing stage;
  const auto becomes = [&stage](std::string_view status) {
    const Lines changes = stage.changes();
    INFO(changes.size());
    return changes.size() == 1 && changes.front().ends_with(status);
  };
  stage.draw(titled("* at work"));
  stage.wait(300);
  CHECK(becomes(" working"));
  stage.notice(kCallWaits);
  stage.wait(300);
  CHECK(becomes(" waiting/permission"));
  CHECK(stage.detector().call_waits());
  for (int frame = 0; frame < 20; ++frame) {  // it draws how long it has been waiting for its hook
    stage.draw(titled(frame % 2 == 0 ? "* at work" : "* at work still"));
    stage.wait(1'000);
  }
  CHECK(stage.changes().empty());
  stage.notice(kCallGoesOn);
  stage.wait(300);
  CHECK(stage.detector().status() == AgentStatus::kWorking);
  CHECK_FALSE(stage.detector().call_waits());
}

TEST_CASE("After a call that has waited an agent works that draws nothing that says so") {
  Stage stage;
  stage.type("x");
  stage.draw(frame({"a screen without a box"}));
  stage.wait(300);
  stage.detector().on_notice(stage.now(), kCallWaits);
  stage.wait(300);
  CHECK(stage.detector().status() == AgentStatus::kWaiting);
  stage.detector().on_notice(stage.now(), kCallGoesOn);
  stage.wait(300);
  CHECK(stage.detector().status() == AgentStatus::kWorking);
}

}  // namespace orch::detect
