#include <catch2/catch.hpp>

#include "machine_rig.h"

namespace orch::run {
namespace {

using event::AgentStatus;

adapters::Manifest with_reset() {
  adapters::Manifest manifest;
  manifest.input.command_start = "/";
  manifest.reset = {{"Escape", "C-c"}, "/clear"};
  return manifest;
}

// A session that goes on until its agent exits, at its prompt.
struct Session : Rig {
  Session() : Rig(plan_of(Until::kExit, ""), with_reset()) {
    show(at_prompt());
    status(AgentStatus::kIdle);
  }
};

TEST_CASE("a reset types the keys apart, then the command, and ends at the prompt") {
  Session session;
  session.show(at_prompt("a draft"));
  REQUIRE(session.resets().ok());
  session.look();
  session.show(at_prompt());
  CHECK(session.typed() == std::vector<std::string>{"\x1b"});
  session.run_to(59);
  CHECK(session.typed().size() == 1);
  session.run_to(60);
  CHECK(session.typed() == std::vector<std::string>{"\x1b", "\x03"});
  session.run_to(1'059);  // the pause, and the prompt's stability
  CHECK(session.typed().size() == 2);
  session.run_to(1'060);
  REQUIRE(session.typed().size() == 3);
  CHECK(session.typed()[2] == bracketed("/clear"));
  session.show(at_prompt("/clear"));
  session.run_to(1'460);
  CHECK(session.typed().back() == "\r");
  CHECK(session.reset_ends().empty());
  session.show(at_prompt());
  session.run_to(1'460 + 699);  // taken, and the prompt's stability
  CHECK(session.reset_ends().empty());
  session.run_to(1'460 + 700);
  CHECK(session.reset_ends() == std::vector{TellReset::How::kCleared});
  CHECK(session.restarts() == 0);
}

// Goes on to the moment when the command has been entered.
void enter_command(Session& session) {
  session.run_to(session.now() + 500);
  REQUIRE(session.typed().back() == bracketed("/clear"));
  session.show(at_prompt("/clear"));
  session.run_to(session.now() + 400);
  REQUIRE(session.typed().back() == "\r");
}

TEST_CASE("an agent that rests at an empty prompt gets the command alone") {
  Session session;
  REQUIRE(session.resets().ok());
  enter_command(session);
  CHECK(session.typed().size() == 2);
}

TEST_CASE("a dialog that the keys opened is closed by the first of them") {
  Session session;
  session.show(at_prompt("a draft"));
  REQUIRE(session.resets().ok());
  session.look();
  session.run_to(300);
  session.show(dialog());
  session.status(AgentStatus::kWaiting);
  session.run_to(560);
  REQUIRE(session.typed() == std::vector<std::string>{"\x1b", "\x03", "\x1b"});
  session.show(at_prompt());
  session.status(AgentStatus::kIdle);
  session.run_to(1'060);
  enter_command(session);
  CHECK(session.restarts() == 0);
}

TEST_CASE("a draft that comes back while the agent is reset is cleared away") {
  Session session;
  session.show(working());
  session.status(AgentStatus::kWorking);
  REQUIRE(session.resets().ok());
  session.look();
  session.run_to(700);
  session.show(at_prompt("what was interrupted"));
  session.status(AgentStatus::kIdle);
  session.run_to(1'500);
  REQUIRE(session.typed().back() == "\x15\x7f");
  session.show(at_prompt());
  REQUIRE(session.typed().back() == bracketed("/clear"));
  CHECK(session.restarts() == 0);
}

TEST_CASE("a command that comes back into the box has cleared nothing yet") {
  Session session;
  REQUIRE(session.resets().ok());
  enter_command(session);
  session.show(at_prompt());
  session.run_to(session.now() + 150);
  for (int i = 0; i < 10; ++i) {  // it is drawn all the time
    session.show(at_prompt("/clear"));
    session.run_to(session.now() + 200);
  }
  CHECK(session.reset_ends().empty());
  CHECK(session.typed().back() == "\r");
  CHECK(session.typed().size() == 3);
  session.show(at_prompt());
  session.run_to(session.now() + 700);
  CHECK(session.reset_ends() == std::vector{TellReset::How::kCleared});
}

TEST_CASE("messages wait for the end of a reset") {
  Session session;
  session.sends({.text = "before"});
  session.run_to(100);
  REQUIRE(session.resets().ok());
  session.sends({.text = "after"});
  enter_command(session);
  session.show(at_prompt());
  session.run_to(session.now() + 700);
  REQUIRE(session.reset_ends().size() == 1);
  session.accept_message();
  session.status(AgentStatus::kIdle);
  session.accept_message();
  const std::vector<std::string>& typed = session.typed();
  CHECK(typed[typed.size() - 4] == bracketed("before"));
  CHECK(typed[typed.size() - 2] == bracketed("after"));
}

TEST_CASE("a message in the box goes with the reset, and is told so") {
  Session session;
  session.sends({.text = "half way"});
  session.run_to(600);
  REQUIRE(session.typed().size() == 1);
  REQUIRE(session.resets().ok());
  REQUIRE(session.reports().size() == 1);
  CHECK(session.reports()[0].result == DeliveryResult::kUnconfirmed);
  CHECK(session.reports()[0].reason == "the session was reset");
}

TEST_CASE("an agent that does not come back to its prompt is restarted") {
  Session session;
  session.show(working());
  session.status(AgentStatus::kWorking);
  REQUIRE(session.resets().ok());
  session.look();
  session.run_to(15'559);
  CHECK(session.restarts() == 0);
  session.run_to(15'560);
  CHECK(session.restarts() == 1);
  CHECK(session.reset_ends().empty());
  session.restarted();
  CHECK(session.reset_ends() == std::vector{TellReset::How::kRestarted});
  session.sends({.text = "hello"});
  session.accept_message();
}

TEST_CASE("one that has no clear command is restarted at once") {
  Rig rig(plan_of(Until::kExit, ""));
  REQUIRE(rig.resets().ok());
  rig.look();
  CHECK(rig.restarts() == 1);
  CHECK(rig.typed().empty());
}

TEST_CASE("there is one reset at a time, and none at the end") {
  Session session;
  REQUIRE(session.resets().ok());
  CHECK_FALSE(session.resets().ok());
  Session ending;
  ending.signal(15);
  CHECK_FALSE(ending.resets().ok());
}

TEST_CASE("an agent that restarts itself gets the message that it did not get before") {
  Rig rig(plan_of(Until::kIdle));
  rig.show(at_prompt());
  rig.status(AgentStatus::kIdle);
  rig.run_to(200);
  rig.restarted();
  rig.show(starting());
  rig.status(AgentStatus::kStarting);
  rig.run_to(1'000);
  CHECK(rig.typed().empty());
  rig.accept_message();
}

TEST_CASE("a run that has a task begins it anew after a reset") {
  Rig rig(plan_of(Until::kComplete, "port it"), with_reset());
  rig.turn({"half of it"});
  REQUIRE(rig.resets().ok());
  rig.run_to(rig.now() + 1'500);
  rig.show(at_prompt("/clear"));
  rig.run_to(rig.now() + 500);
  rig.show(at_prompt());
  rig.run_to(rig.now() + 3'000);
  REQUIRE(rig.reset_ends().size() == 1);
  CHECK(rig.typed().back() == bracketed("port it"));  // and not a request to continue
}

TEST_CASE("so does a session that stays, and then it waits for messages") {
  Rig rig(plan_of(Until::kExit, "review it"), with_reset());
  rig.turn({"reviewed"});
  rig.sends({.text = "and this?"});
  rig.turn({"that, too"});
  REQUIRE(rig.resets().ok());
  rig.run_to(rig.now() + 1'500);
  rig.show(at_prompt("/clear"));
  rig.run_to(rig.now() + 500);
  rig.show(at_prompt());
  rig.run_to(rig.now() + 1'500);
  REQUIRE(rig.reset_ends().size() == 1);
  CHECK(rig.typed().back() == bracketed("review it"));
  rig.accept_message_in_box("review it");
  const size_t typed = rig.typed().size();
  rig.run_to(rig.now() + 60'000);
  CHECK(rig.typed().size() == typed);
  CHECK(rig.machine().pending() == 0);
  CHECK_FALSE(rig.machine().ended());
}

TEST_CASE("the task is given again before what waits") {
  Rig rig(plan_of(Until::kComplete, "port it"), with_reset());
  rig.turn({"half of it"});
  REQUIRE(rig.resets().ok());
  rig.sends({.text = "and this?"});
  rig.run_to(rig.now() + 1'500);
  rig.show(at_prompt("/clear"));
  rig.run_to(rig.now() + 500);
  rig.show(at_prompt());
  rig.run_to(rig.now() + 3'000);
  REQUIRE(rig.reset_ends().size() == 1);
  CHECK(rig.typed().back() == bracketed("port it"));
  CHECK(rig.machine().pending() == 2);
}

TEST_CASE("an agent with a role is told it before all that waits") {
  RunPlan plan = plan_of(Until::kExit, "begin");
  plan.role = "you review";
  Rig rig(plan, with_reset());
  rig.turn({"begun"});
  REQUIRE(rig.resets().ok());
  rig.sends({.text = "and this?"});
  rig.run_to(rig.now() + 1'500);
  rig.show(at_prompt("/clear"));
  rig.run_to(rig.now() + 500);
  rig.show(at_prompt());
  rig.run_to(rig.now() + 1'500);
  REQUIRE(rig.reset_ends().size() == 1);
  CHECK(rig.typed().back() == bracketed("you review"));
  CHECK(rig.machine().pending() == 2);
}

TEST_CASE("a run whose prompt was taken begins anew when the agent is restarted") {
  Rig rig(plan_of(Until::kComplete, "port it"));
  rig.accept_message();
  rig.restarted();
  const size_t typed = rig.typed().size();
  rig.show(starting());
  rig.status(AgentStatus::kStarting);
  rig.accept_message();
  CHECK(rig.typed()[typed] == bracketed("port it"));
}

}  // namespace
}  // namespace orch::run
