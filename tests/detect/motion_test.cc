// Rules about rows that move or stand still, about the cursor and about bracketed paste, and boxes
// that are found without knowing their agent.

#include "detect/motion.h"

#include <catch2/catch.hpp>

#include "stage.h"

namespace orch::detect {

using event::AgentStatus;
using event::Cause;
using Kind = ConditionSpec::Kind;

namespace {

ConditionSpec moved(int64_t ms, int times) {
  ConditionSpec condition;
  condition.kind = Kind::kMoved;
  condition.ms = ms;
  condition.times = times;
  return condition;
}

ConditionSpec still(int64_t ms, int64_t beat = 0) {
  ConditionSpec condition;
  condition.kind = Kind::kStill;
  condition.ms = ms;
  condition.beat = beat;
  return condition;
}

RuleSpec rule(std::string id, AgentStatus status, int priority, ConditionSpec when) {
  RuleSpec spec;
  spec.id = std::move(id);
  spec.status = status;
  spec.priority = priority;
  spec.when = {std::move(when)};
  return spec;
}

// An agent that nobody knows: three moves in a second are work, rest is idle.
RuleSetSpec unknown_agent() {
  RuleSetSpec spec;
  spec.agent = "unknown";
  spec.guessed = true;
  spec.timing.start_working_ms = 0;
  spec.rules = {rule("moves", AgentStatus::kWorking, 70, moved(1000, 3)),
                rule("beat", AgentStatus::kIdle, 20, still(500, 250)),
                rule("rests", AgentStatus::kIdle, 10, still(1200))};
  return spec;
}

void spin(Stage& stage, int turns, TimeMs every) {
  const Lines glyphs{"|", "/", "-", "+"};
  for (int i = 0; i < turns; ++i) {
    stage.draw("\r" + glyphs[static_cast<size_t>(i) % glyphs.size()]);
    stage.wait(every);
  }
}

std::string box_of(const BoxSpec& box, const Lines& rows, const std::string& more = "") {
  RuleSetSpec spec;
  spec.box = {};
  spec.other_boxes = {box};
  const RuleSet rules = compiled(spec);
  Picture picture(rules, rows);
  picture.screen.feed(more);
  picture.rows.refresh(picture.screen, rules.rows);
  picture.layout = find_layout(rules, picture.rows);
  return picture.layout.box ? "[" + box_text(picture.rows, picture.layout) + "]" : "none";
}

BoxSpec framed() {
  BoxSpec box;
  box.top = "^\\s*[╭─]{3}";
  box.bottom = "^\\s*[╰─]{3}";
  box.not_prompt = "> \\d[.)] ";
  box.enclosed = 4;
  box.within = 6;
  return box;
}

}  // namespace

TEST_CASE("rows that keep changing are work, and rest after a steady rhythm is idle soon") {
  Stage stage(unknown_agent());
  stage.draw("hello");
  stage.wait(1500);
  CHECK(stage.detector().status() == AgentStatus::kIdle);
  stage.draw("\r\n");
  spin(stage, 10, 100);
  CHECK(stage.detector().status() == AgentStatus::kWorking);
  CHECK(stage.last_change().guessed);
  stage.wait(1100);  // the rule about movement looks back one second
  CHECK(stage.detector().status() == AgentStatus::kIdle);
  CHECK(stage.last_change().rule == "unknown/beat");
}

TEST_CASE("work without a rhythm ends after a longer rest") {
  Stage stage(unknown_agent());
  stage.draw("hello\r\n");
  stage.wait(1500);
  spin(stage, 6, 300);
  CHECK(stage.detector().status() == AgentStatus::kWorking);
  stage.wait(600);
  CHECK(stage.detector().status() == AgentStatus::kWorking);
  stage.wait(600);
  CHECK(stage.last_change().rule == "unknown/rests");
}

TEST_CASE("a clock, a single repaint, typed keys and a new size are no work") {
  Stage stage(unknown_agent());
  stage.draw("12:00:00\r\n");
  stage.wait(1500);
  for (int i = 1; i < 9; ++i) {
    stage.draw("\x1b[1;1H12:00:0" + std::to_string(i));
    stage.wait(250);
  }
  stage.draw("\x1b[3;1Ha notice");
  stage.wait(1500);
  for (const char* key : {"a", "b", "c", "d"}) {
    stage.type(key);
    stage.draw(key);
    stage.wait(150);
  }
  stage.resize({70, 20});
  for (int i = 0; i < 4; ++i) {
    stage.draw("\x1b[5;1H" + std::string(static_cast<size_t>(i), '='));
    stage.wait(100);
  }
  CHECK(stage.detector().status() == AgentStatus::kIdle);
  CHECK(stage.detector().since() < 1500);
}

TEST_CASE("moves are kept by row, the latest first") {
  term::Screen screen({20, 4});
  const RuleSet rules = compiled({});
  Rows rows;
  Motion motion;
  for (TimeMs now = 0; now < 12; ++now) {
    screen.feed("\x1b[" + std::to_string(now % 2 + 1) + ";1H" +
                std::string(static_cast<size_t>(now) + 1, 'x'));
    rows.refresh(screen, rules.rows);
    motion.look(now, rows, screen);
  }
  const Motion::Moves first = motion.in({0, 1}), all = motion.in({0, 4});
  CHECK(first.at[0] == 10);
  CHECK(first.at[1] == 8);
  CHECK(all.count == Motion::kKept);
  CHECK(all.at[0] == 11);
  CHECK(all.at[7] == 4);
  CHECK(motion.in({2, 4}).count == 0);
}

TEST_CASE(
    "bracketed paste that is switched off again is seen, and so are words before the cursor") {
  RuleSetSpec spec;
  spec.agent = "lines";
  ConditionSpec off, asks, on;
  off.kind = on.kind = Kind::kPaste;
  off.paste = Paste::kOff;
  asks.kind = Kind::kCursor;
  asks.pattern = "\\[y/N\\] ?$";
  spec.rules = {rule("asks", AgentStatus::kWaiting, 90, asks),
                rule("runs", AgentStatus::kWorking, 80, off),
                rule("reads", AgentStatus::kIdle, 10, on)};
  spec.timing.start_working_ms = 0;
  Stage stage(spec);
  stage.draw("starting");
  stage.wait(300);
  CHECK(stage.detector().status() == AgentStatus::kStarting);
  stage.draw("\r\n> \x1b[?2004h");
  stage.wait(300);
  CHECK(stage.detector().status() == AgentStatus::kIdle);
  stage.draw("\x1b[?2004l");
  stage.wait(300);
  CHECK(stage.detector().status() == AgentStatus::kWorking);
  stage.draw("\r\nGo on? [y/N] ");
  stage.wait(300);
  CHECK(stage.detector().status() == AgentStatus::kWaiting);
  stage.draw("n\r\n");
  stage.wait(300);
  CHECK(stage.detector().status() == AgentStatus::kWorking);
}

TEST_CASE("a box between two borders is found whatever it holds") {
  CHECK(box_of(framed(), {"words", "╭────╮", "│ ask │", "╰────╯", "a hint"}) == "[ask]");
  CHECK(box_of(framed(), {"────────", "", "────────"}) == "[]");
  CHECK(box_of(framed(), {"╭────╮", "│ > 1. Yes │", "│   2. No │", "╰────╯"}) == "none");
  CHECK(box_of(framed(), {"words", "────────"}) == "none");
  CHECK(box_of(framed(), {"╭────╮", "│ old │", "╰────╯", "1", "2", "3", "4", "5", "6"}) == "none");
}

TEST_CASE("a box at the cursor ends with its row") {
  BoxSpec box;
  box.prompt = "^(\\w+ )?[>$]( |$)";
  box.at_cursor = true;
  box.within = 6;
  CHECK(box_of(box, {"words", "> hello"}) == "[hello]");
  CHECK(box_of(box, {"words", "you > "}) == "[ou >]");
  CHECK(box_of(box, {"words"}) == "none");
  CHECK(box_of(box, {"words", "> hello"}, "\x1b[?25l") == "none");
}

TEST_CASE("a box whose rows all have the prompt begins with the first of them") {
  BoxSpec box;
  box.prompt = "^(\\w+)?>( |$)";
  box.each = "^(?:\\w+)?> ?(.*)$";
  box.at_cursor = true;
  CHECK(box_of(box, {"words", "ask> one", "ask>", "ask> two"}) == "[one  two]");
  CHECK(box_of(box, {"ask> old", "words", "ask> new"}) == "[new]");
  CHECK(box_of(box, {"words", "ask>"}) == "[]");
}

TEST_CASE("the first program that reports before a key was typed is the agent") {
  RuleSetSpec spec;
  spec.agent = "reports";
  spec.report_app = kAnyApp;
  spec.notices = {{"works", "^report working$", AgentStatus::kWorking, Cause::kNone},
                  {"rests", "^report idle$", AgentStatus::kIdle, Cause::kNone}};
  spec.rules = {rule("rests", AgentStatus::kIdle, 10, still(300))};
  const auto report = [](const std::string& state, const std::string& app) {
    return "\x1b]7501;state=" + state + ":app=" + app + "\a";
  };
  Stage stage(spec);
  stage.draw("hello" + report("idle", "agent"));
  stage.wait(1000);
  stage.type("x\r");
  stage.draw(report("working", "tool"));
  stage.wait(1000);
  CHECK(stage.detector().status() == AgentStatus::kIdle);
  stage.draw(report("working", "agent"));
  stage.wait(200);
  CHECK(stage.detector().status() == AgentStatus::kWorking);

  Stage late(spec);
  late.draw("hello");
  late.wait(1000);
  late.type("x\r");
  late.draw(report("working", "tool"));
  late.wait(1000);
  CHECK(late.detector().status() == AgentStatus::kIdle);
}

}  // namespace orch::detect
