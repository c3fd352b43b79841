// Typed keys say what must follow before the agent has drawn it.

#include <catch2/catch.hpp>

#include "stage.h"

namespace orch::detect {
namespace {

// Prepares an agent that has been idle with a draft since 1001 ms; the time is 1100 ms.
void begin_with_draft(Stage& stage, const std::string& draft = "fix it") {
  stage.settle_idle();
  stage.draw(frame(with_box({}, draft)));
  stage.wait(100);
  stage.changes();
}

// Prepares an agent that has shown a dialog since 1061 ms; the time is 2000 ms.
void begin_with_dialog(Stage& stage, const Lines& dialog = kPermission) {
  stage.settle_idle();
  stage.draw(frame(dialog));
  stage.wait(1000);
  REQUIRE(stage.detector().status() == event::AgentStatus::kWaiting);
  stage.changes();
}

}  // namespace

TEST_CASE("Enter on a filled box: the agent works before it draws anything") {
  Stage stage;
  begin_with_draft(stage);
  stage.type("\r");
  stage.wait(100);
  CHECK(stage.changes() == Lines{"1140 working/submitted"});
  CHECK(stage.last_change().rule.empty());
}

TEST_CASE("An emptied box that stays empty is idle after submitted_ms") {
  Stage stage;
  begin_with_draft(stage);
  stage.type("\r");
  stage.wait(50);
  stage.draw(frame(with_box({"> fix it"})));
  stage.wait(5000);
  CHECK(stage.changes() == Lines{"1140 working/submitted", "3751 idle"});
  CHECK(stage.detector().next_deadline() == kNever);
}

TEST_CASE("A text that Enter did not take is a draft again after enter_seen_ms") {
  Stage stage;
  begin_with_draft(stage);
  stage.type("\r");
  stage.wait(5000);
  CHECK(stage.changes() == Lines{"1140 working/submitted", "1950 idle/draft"});
  CHECK(stage.detector().next_deadline() == kNever);
}

TEST_CASE("Work that is drawn takes the hint's place, and its end is not delayed by it") {
  Stage stage;
  begin_with_draft(stage);
  stage.type("\r");
  stage.wait(100);
  stage.draw(titled("* busy") + frame(with_box({"> fix it"})));
  stage.wait(200);
  stage.draw(titled("ready"));
  stage.wait(5000);
  CHECK(stage.changes() == Lines{"1140 working/submitted", "1201 working", "1551 idle"});
}

TEST_CASE("A dialog after Enter is waiting") {
  Stage stage;
  begin_with_draft(stage);
  stage.type("\r");
  stage.wait(100);
  stage.draw(frame(kPermission));
  stage.wait(5000);
  CHECK(stage.changes() == Lines{"1140 working/submitted", "1261 waiting/permission"});
}

TEST_CASE("Enter on an empty box or a command submits nothing") {
  Stage empty;
  begin_with_draft(empty, "");
  empty.type("\r");
  empty.wait(1000);
  CHECK(empty.changes().empty());
  Stage command;
  begin_with_draft(command, "/help");
  command.type("\r");
  command.wait(1000);
  CHECK(command.changes().empty());
}

TEST_CASE("A terminal's answers and text that is typed submit nothing") {
  Stage stage;
  begin_with_draft(stage);
  stage.type("\x1b[?62;22c");
  CHECK(stage.detector().next_deadline() > stage.now() + 1000);
  stage.type("\x1b[200~more\r\x1b[201~");
  stage.wait(1000);
  CHECK(stage.changes().empty());
}

TEST_CASE("Escape and Ctrl-C take the hint back") {
  for (const char* key : {"\x1b", "\x03"}) {
    Stage stage;
    begin_with_draft(stage);
    stage.type("\r");
    stage.wait(100);
    stage.type(key);
    stage.wait(5000);
    CHECK(stage.changes() == Lines{"1140 working/submitted", "1390 idle/draft"});
  }
}

TEST_CASE("An answered dialog that has not moved counts as over, and is open again if it stays") {
  for (const char* key : {"1", "\r", "y"}) {
    Stage stage;
    begin_with_dialog(stage);
    stage.type(key);
    stage.wait(5000);
    CHECK(stage.changes() == Lines{"2150 working/tool", "3261 waiting/permission"});
    CHECK(stage.detector().next_deadline() == kNever);
  }
}

TEST_CASE("After an answer the next dialog is waited at, without work between") {
  Stage stage;
  begin_with_dialog(stage);
  stage.type("1");
  stage.wait(50);
  Lines next = kPermission;
  next[3] = " Run rm out.txt?";
  stage.draw(frame(next));
  stage.wait(5000);
  CHECK(stage.changes().empty());
  CHECK(stage.detector().dialog().title == "Run rm out.txt?");
}

TEST_CASE("Arrows and Escape answer nothing") {
  for (const char* key : {"\x1b[B", "\x1b", "x"}) {
    Stage stage;
    begin_with_dialog(stage);
    stage.type(key);
    stage.wait(5000);
    CHECK(stage.changes().empty());
  }
}

TEST_CASE("A dialog whose answer starts no work is waited at until it is gone") {
  Lines trust = kPermission;
  trust[3] = " Do you trust this folder?";
  Stage stage;
  begin_with_dialog(stage, trust);
  stage.type("\r");
  stage.wait(500);
  stage.draw(frame(with_box({})));
  stage.wait(1000);
  CHECK(stage.changes() == Lines{"2651 idle"});
}

TEST_CASE("Escape after an answer takes it back") {
  Stage stage;
  begin_with_dialog(stage);
  stage.type("1");
  stage.wait(100);
  stage.type("\x1b");
  stage.wait(5000);
  CHECK(stage.changes().empty());
}

}  // namespace orch::detect
