// How long evidence must hold before a status is believed.

#include <catch2/catch.hpp>

#include "stage.h"

namespace orch::detect {

using event::AgentStatus;

TEST_CASE("The first prompt is believed after start_ms") {
  Stage stage;
  stage.draw(frame(with_box({"Welcome"})));
  stage.wait(1000);
  CHECK(stage.changes() == Lines{"61 idle"});
  CHECK(stage.last_change() == event::StatusChange{.status = AgentStatus::kIdle,
                                                   .cause = event::Cause::kNone,
                                                   .from = AgentStatus::kStarting,
                                                   .rule = "sample/prompt",
                                                   .row = -1,
                                                   .samples = 2,
                                                   .lag_ms = 60});
  CHECK(stage.detector().since() == 61);
}

TEST_CASE("Working is believed at once") {
  Stage stage;
  stage.settle_idle();
  stage.draw(titled("* busy"));
  stage.wait(500);
  CHECK(stage.changes() == Lines{"1001 working"});
  CHECK(stage.last_change().rule == "sample/title");
  CHECK(stage.last_change().samples == 1);
  CHECK(stage.last_change().lag_ms == 0);
}

TEST_CASE("Idle is believed after idle_ms without a sign of work") {
  Stage stage;
  stage.settle_idle();
  stage.draw(titled("* busy"));
  stage.wait(100);
  stage.draw(titled("ready"));
  stage.wait(100);
  stage.draw(titled("* busy"));
  stage.wait(100);
  stage.draw(titled("ready"));
  stage.wait(1000);
  CHECK(stage.changes() == Lines{"1001 working", "1451 idle"});
  CHECK(stage.last_change().lag_ms == 150);
}

TEST_CASE("Idle and error confirm each other") {
  Stage stage;
  stage.settle_idle();
  stage.draw(titled("* busy"));
  stage.wait(100);
  stage.draw(titled("ready"));
  stage.wait(100);
  stage.draw(frame(with_box({"● Error 500"})));
  stage.wait(1000);
  CHECK(stage.changes() == Lines{"1001 working", "1251 error/api"});
}

TEST_CASE("An error that appears at the prompt is confirmed like idle") {
  Stage stage;
  stage.settle_idle();
  stage.draw(frame(with_box({"● Error 401"})));
  stage.wait(1000);
  CHECK(stage.changes() == Lines{"1151 error/auth"});
}

TEST_CASE("An error that is first seen when idle falls due needs a second look") {
  Stage stage;
  stage.settle_idle();
  stage.draw(titled("* busy"));
  stage.wait(100);
  stage.draw(titled("ready"));
  stage.wait(150);
  stage.draw(frame(with_box({"● Error 500"})));
  stage.wait(1000);
  CHECK(stage.changes() == Lines{"1001 working", "1261 error/api"});
  CHECK(stage.last_change().samples == 2);
}

TEST_CASE("One look is never enough for idle, error and waiting, however short their times are") {
  RuleSetSpec spec = sample_rules();
  spec.timing.idle_ms = spec.timing.start_ms = spec.timing.waiting_ms = 0;
  Stage stage(spec);
  stage.draw(frame(with_box({"Welcome"})));
  stage.wait(100);
  CHECK(stage.changes() == Lines{"11 idle"});
  CHECK(stage.last_change().samples == 2);
  stage.draw(frame(kPermission));
  stage.wait(100);
  CHECK(stage.changes() == Lines{"111 waiting/permission"});
  CHECK(stage.last_change().samples == 2);
  stage.draw(frame(with_box({"● Error 401"})));
  stage.wait(100);
  CHECK(stage.changes() == Lines{"211 error/auth"});
  CHECK(stage.last_change().samples == 2);
  CHECK(stage.last_change().lag_ms == 10);
}

TEST_CASE("A kind of dialog that was seen once is not told") {
  Stage stage;
  stage.settle_idle();
  stage.draw(frame(kPermission));
  stage.wait(1000);
  Lines trust = kPermission;
  trust[3] = " Do you trust this folder?";
  stage.draw(frame(trust));
  stage.wait(5);
  stage.draw(frame(kPermission));
  stage.wait(1000);
  CHECK(stage.changes() == Lines{"1061 waiting/permission"});
}

TEST_CASE("A dialog is believed when it stood for waiting_ms") {
  Stage stage;
  stage.settle_idle();
  stage.draw(frame(kPermission));
  stage.wait(1000);
  CHECK(stage.changes() == Lines{"1061 waiting/permission"});
  CHECK(stage.last_change().rule == "sample/dialog");
  CHECK(stage.last_change().row == 7);
  CHECK(stage.last_change().samples >= 2);
  CHECK(stage.detector().dialog().title == "Run touch out.txt?");
}

TEST_CASE("A dialog that was seen once is no dialog") {
  Stage stage;
  stage.settle_idle();
  stage.draw(frame(kPermission));
  stage.wait(50);
  stage.draw(frame(with_box({})));
  stage.wait(1000);
  CHECK(stage.changes().empty());
}

TEST_CASE("A dialog that no rule knows is waiting after its rule's own time, and never idle") {
  Stage stage;
  stage.settle_idle();
  stage.draw(titled("* busy"));
  stage.wait(100);
  stage.draw(titled("ready") + frame(kUnknownDialog));
  stage.wait(5000);
  CHECK(stage.changes() == Lines{"1001 working", "1701 waiting"});
  CHECK(stage.last_change().rule == "sample/unknown-dialog");
}

TEST_CASE("A dialog that turns into another kind is told") {
  Stage stage;
  stage.settle_idle();
  stage.draw(frame(kUnknownDialog));
  stage.wait(1000);
  Lines trust = kPermission;
  trust[3] = " Do you trust this folder?";
  stage.draw(frame(trust));
  stage.wait(1000);
  CHECK(stage.changes() == Lines{"1601 waiting", "2011 waiting/trust"});
}

TEST_CASE("No evidence keeps the status") {
  Stage stage;
  stage.settle_idle();
  stage.draw(titled("* busy"));
  stage.wait(100);
  stage.draw(titled("") + frame({"plain text"}));
  stage.wait(60'000);
  CHECK(stage.changes() == Lines{"1001 working"});
  CHECK(stage.detector().latest().rule == nullptr);
  CHECK(stage.detector().next_deadline() == kNever);
}

TEST_CASE("An agent that flashes busy while it starts is not working") {
  Stage stage;
  stage.draw(titled("* busy") + frame(with_box({})));
  stage.wait(500);
  stage.draw(titled("ready"));
  stage.wait(1000);
  CHECK(stage.changes() == Lines{"561 idle"});
}

TEST_CASE("An agent that starts and works on is working after start_working_ms") {
  Stage stage;
  stage.draw(titled("* busy") + frame(with_box({})));
  stage.wait(5000);
  CHECK(stage.changes() == Lines{"1001 working"});
}

TEST_CASE("A working rule's own confirmation does not make a start shorter") {
  RuleSetSpec spec = sample_rules();
  spec.rules[1].confirm_ms = 10;
  Stage stage(spec);
  stage.draw(titled("* busy") + frame(with_box({})));
  stage.wait(500);
  CHECK(stage.changes().empty());
  stage.draw(titled("ready"));
  stage.settle_idle();
  stage.changes();
  const TimeMs drawn = stage.now();
  stage.draw(titled("* busy"));
  stage.wait(100);
  CHECK(stage.changes() == Lines{std::to_string(drawn + 11) + " working"});
}

}  // namespace orch::detect
