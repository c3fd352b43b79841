// When the detector looks at the screen, and when not.

#include <algorithm>
#include <catch2/catch.hpp>

#include "stage.h"

namespace orch::detect {
namespace {

const std::string kBeginFrame = "\x1b[?2026h";
const std::string kEndFrame = "\x1b[?2026l";

}  // namespace

TEST_CASE("An idle session has no timers") {
  Stage stage;
  CHECK(stage.detector().next_deadline() == kNever);
  stage.settle_idle();
  CHECK(stage.detector().next_deadline() == kNever);
  stage.type("x");
  CHECK(stage.detector().next_deadline() == stage.now() + 40);
  stage.wait(40);
  CHECK(stage.detector().next_deadline() == kNever);
}

TEST_CASE("The first output after quiet is looked at a millisecond later, and once") {
  Stage stage;
  stage.settle_idle();
  const uint64_t before = stage.detector().counters().samples;
  stage.draw("x");
  CHECK(stage.detector().next_deadline() == 1001);
  stage.wait(1);
  CHECK(stage.detector().next_deadline() == kNever);
  stage.wait(1000);
  CHECK(stage.detector().counters().samples == before + 1);
}

TEST_CASE("Output that goes on is looked at when it was quiet for settle_ms") {
  Stage stage;
  stage.settle_idle();
  stage.draw("x");
  stage.wait(20);
  stage.draw("y");
  CHECK(stage.detector().next_deadline() == 1050);
  stage.wait(20);
  stage.draw("z");
  CHECK(stage.detector().next_deadline() == 1070);
}

TEST_CASE("Output that never settles is looked at every max_settle_ms") {
  Stage stage;
  stage.settle_idle();
  stage.draw(titled("tick"));
  stage.wait(20);
  stage.draw(frame(kPermission));
  for (int i = 0; i < 20; ++i) {
    stage.wait(20);
    stage.draw(titled("tick " + std::to_string(i)));
  }
  CHECK(stage.changes() == Lines{"1280 waiting/permission"});
}

TEST_CASE("A title that spins ten times a second hides no dialog") {
  Stage stage;
  stage.settle_idle();
  for (int i = 0; i < 20; ++i) {
    stage.draw(titled("tick " + std::to_string(i)));
    stage.wait(50);
    if (i == 4) stage.draw(frame(kPermission));
    stage.wait(50);
  }
  CHECK(stage.changes() == Lines{"1540 waiting/permission"});
}

TEST_CASE("Output that changes no text runs no rules") {
  Stage stage;
  stage.settle_idle();
  const Detector::Counters before = stage.detector().counters();
  stage.draw(frame(with_box({})) + titled("sample"));
  stage.wait(1000);
  CHECK(stage.detector().counters().evaluations == before.evaluations);
  CHECK(stage.detector().counters().fast_exits == before.fast_exits + 1);
}

TEST_CASE("A synchronised frame is not looked at before it ends") {
  Stage stage;
  stage.settle_idle();
  stage.draw(kBeginFrame + titled("* busy"));
  stage.wait(150);
  CHECK(stage.changes().empty());
  stage.draw(kEndFrame);
  stage.wait(1);
  CHECK(stage.changes() == Lines{"1151 working"});
}

TEST_CASE("The end of a frame is looked at though output goes on") {
  Stage stage;
  stage.settle_idle();
  stage.draw("x");
  stage.wait(10);
  stage.draw(kBeginFrame + titled("* busy"));
  stage.wait(10);
  stage.draw(kEndFrame);
  CHECK(stage.detector().next_deadline() == 1021);
}

TEST_CASE("Frames that end each millisecond are looked at often enough, and not each") {
  for (const bool timers_run : {true, false}) {
    Stage stage;
    stage.settle_idle();
    const uint64_t before = stage.detector().counters().samples;
    uint64_t samples = before;
    TimeMs last_look = stage.now(), longest = 0;
    for (int i = 0; i < 2000; ++i) {
      stage.draw(kBeginFrame + titled(std::to_string(i)) + kEndFrame);
      // A busy loop reads the next frame before it runs a timer that is due in a millisecond.
      if (timers_run || stage.detector().next_deadline() <= stage.now()) stage.wait(0);
      timers_run ? stage.wait(1) : stage.pass(1);
      if (stage.detector().counters().samples == samples) continue;
      samples = stage.detector().counters().samples;
      longest = std::max(longest, stage.now() - last_look);
      last_look = stage.now();
    }
    CHECK(longest <= 202);
    CHECK(samples - before >= 9);
    CHECK(samples - before <= 100);
  }
}

TEST_CASE("A confirmation that falls due within a frame waits for its end") {
  Stage stage;
  stage.settle_idle();
  stage.draw(frame(kPermission));
  stage.wait(40);
  stage.draw(kBeginFrame + frame({"half of it"}));
  stage.wait(30);
  stage.draw(frame(kPermission) + kEndFrame);
  stage.wait(1000);
  CHECK(stage.changes() == Lines{"1071 waiting/permission"});
}

TEST_CASE("A frame that never ends is looked at after max_settle_ms") {
  Stage stage;
  stage.settle_idle();
  stage.draw(kBeginFrame + titled("* busy"));
  stage.wait(5000);
  CHECK(stage.changes() == Lines{"1200 working"});
  CHECK(stage.detector().next_deadline() == kNever);
}

TEST_CASE("Statuses do not depend on how output of one moment is cut") {
  const std::vector<std::string> moments{
      titled("start") + frame(with_box({"Welcome"})),
      frame(with_box({}, "fix it")),
      kBeginFrame + titled("* busy") + frame(with_box({"> fix it"})) + kEndFrame,
      kBeginFrame + frame({"half"}),
      frame(kPermission) + kEndFrame + kBeginFrame,
      frame(with_box({"● Error 401"})) + titled("ready") + kEndFrame,
  };
  for (const TimeMs pause : {1, 7, 31, 64, 100, 400}) {
    const auto play = [&](size_t piece) {
      Stage stage;
      for (const std::string& bytes : moments) {
        for (size_t i = 0; i < bytes.size(); i += piece) stage.draw(bytes.substr(i, piece));
        stage.wait(pause);
      }
      stage.wait(5000);
      return stage.changes();
    };
    const Lines whole = play(std::string::npos / 2);
    CHECK_FALSE(whole.empty());
    CHECK(play(1) == whole);
    CHECK(play(5) == whole);
  }
}

TEST_CASE("A new size is looked at when the agent had time to draw") {
  Stage stage;
  stage.settle_idle();
  stage.resize({40, 20});
  CHECK(stage.detector().next_deadline() == 1030);
  stage.wait(1000);
  CHECK(stage.changes().empty());
  CHECK(stage.detector().next_deadline() == kNever);
}

TEST_CASE("An agent that exited has no timers, whatever is still drawn or typed") {
  Stage stage;
  stage.settle_idle();
  stage.draw(titled("* busy"));
  const event::StatusChange change = stage.detector().on_exit();
  CHECK(change.status == event::AgentStatus::kExited);
  CHECK(change.from == event::AgentStatus::kIdle);
  CHECK(change.samples == 0);  // nobody has looked at the screen
  CHECK(stage.detector().next_deadline() == kNever);
  stage.draw(frame(kPermission));
  stage.type("\r");
  stage.resize({40, 20});
  CHECK(stage.detector().next_deadline() == kNever);
  stage.wait(1000);
  CHECK(stage.changes().empty());
  CHECK(stage.detector().status() == event::AgentStatus::kExited);
}

}  // namespace orch::detect
