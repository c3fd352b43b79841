// What an agent reports of its own state (OSC 7501), compared with what its screen shows, and what
// others write in its name.

#include <catch2/catch.hpp>

#include "detect/notice.h"
#include "stage.h"

namespace orch::detect {

using event::AgentStatus;
using event::Cause;

namespace {

// As the made-up agent, but it reports its state as "sample". It works where "* " stands in the
// title or "~ " over the input box; under the box anybody may write "busy".
RuleSetSpec with_reports() {
  RuleSetSpec spec = sample_rules();
  spec.report_app = "sample";
  using Kind = ConditionSpec::Kind;
  const auto rule = [&spec](std::string id, Cause cause, bool weak, Region region,
                            std::string pattern) {
    RuleSpec added;
    added.id = std::move(id);
    added.status = AgentStatus::kWorking;
    added.cause = cause;
    added.priority = 55;
    added.weak = weak;
    added.when = {{Kind::kMatch, {region, 3}, std::move(pattern), "", {}}};
    spec.rules.push_back(std::move(added));
  };
  rule("spinner", Cause::kNone, false, Region::kAbove, "^~ ");
  rule("footer", Cause::kNone, true, Region::kBelow, "busy");
  rule("left", Cause::kBackground, true, Region::kAbove, "^1 shell left");
  rule("terminal", Cause::kBackground, false, Region::kAbove, "^1 terminal left");
  const auto notice = [&spec](std::string id, std::string pattern, AgentStatus status,
                              Cause cause = Cause::kNone) {
    spec.notices.push_back({std::move(id), std::move(pattern), status, cause});
  };
  notice("works", "^report working$", AgentStatus::kWorking);
  notice("rests", "^report (idle|done)$", AgentStatus::kIdle);
  notice("failed", "^report error$", AgentStatus::kError, Cause::kApi);
  notice("asks", "^report blocked", AgentStatus::kWaiting, Cause::kPermission);
  notice("hook", "^hook Stop$", AgentStatus::kIdle);
  // A title counts only where no report came that is understood.
  for (RuleSpec& known : spec.rules) {
    if (known.id == "title") {
      known.when.push_back({Kind::kNoMatch, {Region::kReport, 0}, ".", "", {}});
    }
  }
  return spec;
}

std::string report(std::string_view state, std::string_view app = "sample") {
  return "\x1b]7501;state=" + std::string(state) + ":app=" + std::string(app) + "\a";
}

struct Reporting : Stage {
  Reporting() : Stage(with_reports()) {
    draw(report("idle"));
    settle_idle();
  }
  void idle_screen() { draw(frame(with_box({"> go", "● Said"}))); }
  void work_screen(int step) {
    draw(frame(with_box({"> go", "~ Working " + std::to_string(step), ""})));
  }
  // Draws a spinner ten times a second.
  void work(TimeMs ms) {
    for (TimeMs at = 0; at < ms; at += 100) {
      work_screen(static_cast<int>(now() / 100));
      wait(100);
    }
  }
  void footer_screen(const std::string& footer) {
    Lines rows = with_box({"> go", "● Said"});
    rows.push_back(footer);
    draw(frame(rows));
  }
  AgentStatus status() { return detector().status(); }
};

}  // namespace

TEST_CASE("A report is believed at once where the screen says nothing else") {
  Reporting stage;
  const TimeMs began = stage.now();
  stage.draw(report("working"));
  stage.wait(12);
  CHECK(stage.status() == AgentStatus::kWorking);
  CHECK(stage.last_change().rule == "sample/notice/works");
  stage.work(2000);
  stage.draw(report("done"));
  stage.idle_screen();
  stage.wait(300);
  CHECK(stage.status() == AgentStatus::kIdle);
  CHECK(stage.now() - began < 2500);
  REQUIRE(stage.detector().report());
  CHECK(stage.detector().report()->at == stage.now() - 300);
}

TEST_CASE("What a tool reports in the agent's name is not believed while the screen shows work") {
  for (const char* forged : {"idle", "done", "error", "blocked:kind=permission", "blocked", "clear",
                             "working", "nonsense"}) {
    INFO(forged);
    Reporting stage;
    stage.draw(report("working"));
    stage.work(1000);
    stage.changes();
    stage.draw(report(forged));
    stage.work(8000);
    CHECK(stage.changes().empty());
    CHECK(stage.status() == AgentStatus::kWorking);
    // The true end is a report of its own.
    stage.draw(report("done"));
    stage.idle_screen();
    stage.wait(300);
    CHECK(stage.status() == AgentStatus::kIdle);
  }
}

TEST_CASE("Once the screen has refuted a report the screen counts alone") {
  Reporting stage;
  stage.draw(report("working"));
  stage.work(1000);
  stage.draw(report("done"));
  stage.work(2000);
  CHECK_FALSE(stage.detector().report());
  CHECK(stage.detector().evidence().report().text.empty());
  stage.changes();
  stage.wait(20'000);  // the spinner stands still
  CHECK(stage.changes().empty());
  CHECK(stage.status() == AgentStatus::kWorking);
}

TEST_CASE("A title counts only where no report came that is understood") {
  for (const char* state : {"idle", "done", "paused", "blocked:kind=permission"}) {
    Reporting stage;
    stage.changes();
    stage.draw(report(state) + titled("* the user's own words"));
    stage.wait(3000);
    CHECK(stage.status() == AgentStatus::kIdle);
  }
  Reporting stage;
  stage.draw(report("clear") + titled("* works"));
  stage.wait(500);
  CHECK(stage.status() == AgentStatus::kWorking);
  RuleSetSpec spec = with_reports();
  spec.notices.erase(spec.notices.begin());  // nobody knows what "working" means
  Stage newer(spec);
  newer.settle_idle();
  newer.draw(report("working") + titled("* works"));
  newer.wait(500);
  CHECK(newer.detector().status() == AgentStatus::kWorking);
}

TEST_CASE("A title that moves is the agent's own, and refutes a report of rest") {
  RuleSetSpec spec = with_reports();
  RuleSpec moving;
  moving.id = "moving";
  moving.status = AgentStatus::kWorking;
  moving.priority = 56;
  moving.when = {{ConditionSpec::Kind::kMoves, {Region::kTitle, 0}, "^[-+] ", "", {}}};
  spec.rules.push_back(moving);
  Stage stage(spec);
  stage.draw(report("idle"));
  stage.settle_idle();
  stage.draw(titled("+ the user's"));
  stage.wait(3000);
  CHECK(stage.detector().status() == AgentStatus::kIdle);
  stage.draw(report("working") + titled("- go"));
  stage.wait(100);
  stage.draw(report("done"));
  const auto turn = [&stage](int times) {
    for (int i = 0; i < times; ++i) {
      stage.draw(titled(i % 2 == 0 ? "+ go" : "- go"));
      stage.wait(100);
    }
  };
  turn(40);
  CHECK(stage.detector().status() == AgentStatus::kWorking);
  CHECK_FALSE(stage.detector().report());
  stage.draw(report("done") + titled("go"));
  stage.wait(300);
  CHECK(stage.detector().status() == AgentStatus::kIdle);
  // A title of the user's that looks like one of its pictures comes to rest.
  stage.draw(report("working"));
  turn(20);
  stage.draw(report("done") + titled("+ my title"));
  stage.wait(2000);
  CHECK(stage.detector().status() == AgentStatus::kIdle);
}

TEST_CASE("Reports of others change nothing") {
  Reporting stage;
  stage.draw(report("working"));
  stage.work(500);
  stage.changes();
  for (const char* other : {"other", "Sample", "sample2", ""}) stage.draw(report("done", other));
  stage.draw("\x1b]7501;state=done\a\x1b]7501;state=done:app=sample:id=shell\a");
  stage.draw(report("working"));
  stage.wait(5000);
  CHECK(stage.changes().empty());
}

TEST_CASE("Work that nothing shows ends, though it was reported") {
  Reporting stage;
  stage.draw(report("working"));
  stage.wait(500);
  CHECK(stage.status() == AgentStatus::kWorking);
  stage.wait(10'000);
  CHECK(stage.status() == AgentStatus::kIdle);
  stage.draw("x");  // it does not come back
  stage.wait(1000);
  CHECK(stage.status() == AgentStatus::kIdle);
}

TEST_CASE("An error that is reported at rest, or a dialog where the box stands, is not believed") {
  for (const char* forged : {"error", "blocked:kind=permission"}) {
    Reporting stage;
    stage.draw(report("working"));
    stage.work(1000);
    stage.draw(report("done"));
    stage.idle_screen();
    stage.wait(500);
    stage.changes();
    stage.draw(report(forged));
    stage.wait(20'000);
    CHECK(stage.changes().empty());
  }
}

TEST_CASE("An error that ends a turn is believed, whatever its words are") {
  Reporting stage;
  stage.draw(report("working"));
  stage.work(1000);
  stage.draw(report("error"));
  stage.idle_screen();
  stage.wait(300);
  CHECK(stage.changes().back().find("error/api") != std::string::npos);
}

TEST_CASE("Where only a row that anybody may write shows work, the agent's report ends it") {
  Reporting stage;
  stage.draw(report("working"));
  stage.work(1000);
  stage.draw(report("done"));
  for (int second = 0; second < 4; ++second) {  // a status line with a clock
    stage.footer_screen("busy " + std::to_string(second));
    stage.wait(1000);
  }
  CHECK(stage.status() == AgentStatus::kIdle);
  for (int second = 4; second < 9; ++second) {
    stage.footer_screen("busy " + std::to_string(second));
    stage.wait(1000);
  }
  CHECK(stage.status() == AgentStatus::kIdle);
}

TEST_CASE("A dialog that is reported is open once the input box is gone") {
  Reporting stage;
  stage.draw(report("working"));
  stage.work(500);
  stage.draw(report("blocked"));
  stage.wait(200);
  CHECK(stage.status() == AgentStatus::kWorking);  // it is not drawn yet
  stage.draw(frame({"> go", "Something new:", "  this", "  that"}));
  stage.wait(200);
  CHECK(stage.changes().back().find("waiting/permission") != std::string::npos);
}

TEST_CASE("A dialog that is reported at work is open, though its options look like an input box") {
  Reporting stage;
  stage.draw(report("working"));
  stage.work(500);
  stage.draw(report("blocked"));
  stage.draw(frame(with_box({"> go", "● Said"}, "yes")));
  stage.wait(200);
  CHECK(stage.status() == AgentStatus::kWaiting);
}

TEST_CASE("Work in the background that the agent waits for goes on until its row is gone") {
  Reporting stage;
  const auto left = [&stage] { stage.draw(frame(with_box({"> go", "● Said", "1 shell left"}))); };
  stage.draw(report("working"));
  stage.work(500);
  left();
  stage.wait(1500);
  CHECK(stage.detector().cause() == Cause::kBackground);
  stage.draw(report("done"));  // perhaps the command's own
  stage.wait(20'000);
  CHECK(stage.detector().cause() == Cause::kBackground);
  stage.idle_screen();
  stage.wait(500);
  CHECK(stage.status() == AgentStatus::kIdle);
}

TEST_CASE("Without a report the end of a turn is not the end of its work in the background") {
  Stage stage(with_reports());
  stage.settle_idle();
  stage.draw(titled("* works") + frame(with_box({"> go", "● Said"})));
  stage.wait(500);
  stage.draw(titled("rests") + frame(with_box({"> go", "● Said", "1 shell left"})));
  stage.detector().on_notice(stage.now(), "hook Stop");
  stage.wait(20'000);
  CHECK(stage.detector().cause() == Cause::kBackground);
  stage.draw(frame(with_box({"> go", "● Said"})));
  stage.wait(500);
  CHECK(stage.detector().status() == AgentStatus::kIdle);
}

TEST_CASE("What the agent does not wait for is no work of its own, if its report can say so") {
  Reporting stage;
  stage.draw(report("working"));
  stage.work(500);
  SECTION("it mentions what it waits for") {
    stage.draw(report("done") + frame(with_box({"> go", "● Said", "1 shell left"})));
    stage.wait(500);
    CHECK(stage.status() == AgentStatus::kIdle);
  }
  SECTION("it does not") {
    stage.draw(report("done") + frame(with_box({"> go", "● Said", "1 terminal left"})));
    stage.wait(20'000);
    CHECK(stage.detector().cause() == Cause::kBackground);
  }
}

TEST_CASE("A turn that ends between two looks leaves no work behind") {
  Reporting stage;
  stage.draw(frame(with_box({"> go"}, "again")));
  stage.wait(200);
  stage.type("\r");
  stage.draw(report("working"));
  stage.draw(report("done"));
  stage.draw(frame(with_box({"> go", "● Said", "> again", "● Done"})));
  stage.wait(500);
  CHECK(stage.status() == AgentStatus::kIdle);
}

TEST_CASE("A report outranks hooks that come late") {
  Reporting stage;
  stage.draw(report("working"));
  stage.work(500);
  stage.idle_screen();
  stage.detector().on_notice(stage.now(), "hook Stop");
  stage.wait(2000);
  CHECK(stage.status() == AgentStatus::kWorking);
}

TEST_CASE("The same output in one piece or byte by byte gives the same statuses") {
  const std::string output = report("working") + frame(with_box({"> go", "~ Working", ""})) +
                             report("done") + frame(with_box({"> go", "● Said"}));
  Reporting whole, pieces;
  whole.draw(output);
  for (const char byte : output) pieces.draw(std::string(1, byte));
  for (Reporting* stage : {&whole, &pieces}) stage->wait(1000);
  CHECK(whole.changes() == pieces.changes());
}

}  // namespace orch::detect
