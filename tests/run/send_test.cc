#include <catch2/catch.hpp>

#include "machine_rig.h"

namespace orch::run {
namespace {

using event::AgentStatus;
using event::Cause;
using event::MessagePhase;

std::vector<MessagePhase> phases(const Rig& rig, const std::string& id) {
  std::vector<MessagePhase> found;
  for (const event::Message& message : rig.told<event::Message>()) {
    if (message.id == id) found.push_back(message.phase);
  }
  return found;
}

// A session that goes on until its agent exits, at its prompt.
struct OpenSession : Rig {
  OpenSession() : Rig(plan_of(Until::kExit, "")) {
    show(at_prompt());
    status(AgentStatus::kIdle);
  }
};

TEST_CASE("a message is reported when the agent has it") {
  OpenSession session;
  const std::string id = session.sends({.text = "hello"});
  CHECK(id == "m1");
  session.accept_message();
  REQUIRE(session.reports().size() == 1);
  CHECK(session.reports()[0].id == id);
  CHECK(session.reports()[0].result == DeliveryResult::kAccepted);
  CHECK(session.reports()[0].reason.empty());
  CHECK(session.reports()[0].enters == 1);
  CHECK(phases(session, id) ==
        std::vector{MessagePhase::kQueued, MessagePhase::kSent, MessagePhase::kAccepted});
  CHECK(session.machine().turns() == 1);
}

TEST_CASE("or when its turn is over") {
  OpenSession session;
  session.sends({.text = "hello", .until_idle = true});
  session.accept_message();
  CHECK(session.reports().empty());
  session.run_to(session.now() + 5'000);
  CHECK(session.reports().empty());
  session.status(AgentStatus::kIdle);
  REQUIRE(session.reports().size() == 1);
  CHECK(session.reports()[0].result == DeliveryResult::kAccepted);
  CHECK(session.reports()[0].enters == 1);
  CHECK(session.stops().empty());
}

TEST_CASE("messages wait for each other and for the agent") {
  OpenSession session;
  session.sends({.text = "one"});
  session.sends({.text = "two"});
  session.sends({.text = "three"});
  session.accept_message();
  session.run_to(session.now() + 60'000);
  CHECK(session.typed() == std::vector{bracketed("one"), std::string("\r")});
  session.status(AgentStatus::kIdle);
  session.accept_message();
  session.status(AgentStatus::kIdle);
  session.accept_message();
  CHECK(session.typed() == std::vector<std::string>{bracketed("one"), "\r", bracketed("two"), "\r",
                                                    bracketed("three"), "\r"});
  CHECK(session.reports().size() == 3);
}

TEST_CASE("a message that comes while the run's own turn lasts goes before its next one") {
  Rig rig(plan_of(Until::kComplete));
  rig.accept_message();
  rig.sends({.text = "also this"});
  rig.status(AgentStatus::kIdle);
  rig.accept_message();
  CHECK(rig.typed()[2] == bracketed("also this"));
  rig.status(AgentStatus::kIdle);
  CHECK(rig.stops().empty());
  rig.show(at_prompt());
  rig.run_to(rig.now() + 600);
  CHECK(rig.typed()[4].find("LOOP_COMPLETE") != std::string::npos);  // the agent was asked to go on
}

TEST_CASE("a sent message that fails is its sender's matter, not the run's") {
  OpenSession session;
  session.show(at_prompt("a draft"));
  session.sends({.text = "hello"});
  session.look();
  REQUIRE(session.reports().size() == 1);
  CHECK(session.reports()[0].result == DeliveryResult::kBlocked);
  CHECK(session.stops().empty());
  CHECK(session.typed().empty());
  session.show(at_prompt());
  session.sends({.text = "hello"});
  session.accept_message();
  CHECK(session.reports().back().result == DeliveryResult::kAccepted);
}

TEST_CASE("a run that a blocked message kept waiting goes on") {
  Rig rig(plan_of(Until::kIdle));
  rig.accept_message();
  rig.sends({.text = "/compact"});
  Rig blocked(plan_of(Until::kIdle));
  blocked.accept_message();
  blocked.sends({.text = "hello"});
  blocked.status(AgentStatus::kIdle);
  blocked.show(at_prompt("a draft"));
  CHECK(blocked.reports().at(0).result == DeliveryResult::kBlocked);
  CHECK(blocked.stops().size() == 1);  // the goal of the run, idle, is reached
}

TEST_CASE("a message left in the box is cleared before the next one") {
  OpenSession session;
  session.sends({.text = "lost"});
  session.run_to(session.now() + 600);
  session.run_to(session.now() + 5'000);  // the text was never seen in the box
  REQUIRE(session.reports().size() == 1);
  CHECK(session.reports()[0].result == DeliveryResult::kUnconfirmed);
  session.show(at_prompt("lost"));  // now it is drawn, too late
  session.sends({.text = "next"});
  session.run_to(session.now() + 600);
  CHECK(session.typed().back() == "\x15\x7f");
  session.show(at_prompt());
  CHECK(session.typed().back() == bracketed("next"));
}

TEST_CASE("messages that wait too long are timed out, each for itself") {
  OpenSession session;
  session.sends({.text = "one"});
  session.sends({.text = "two", .timeout_ms = 5'000});
  session.sends({.text = "three"});
  session.accept_message();
  session.run_to(4'999);
  CHECK(session.reports().size() == 1);
  session.run_to(5'000);
  REQUIRE(session.reports().size() == 2);
  CHECK(session.reports()[1].id == "m2");
  CHECK(session.reports()[1].result == DeliveryResult::kTimeout);
  CHECK(phases(session, "m2") == std::vector{MessagePhase::kQueued, MessagePhase::kFailed});
  session.status(AgentStatus::kIdle);
  session.accept_message();
  CHECK(session.typed()[2] == bracketed("three"));
}

TEST_CASE("a turn that is not over in time is told so, once; the message stays accepted") {
  OpenSession session;
  session.sends({.text = "hello", .until_idle = true, .timeout_ms = 5'000});
  session.accept_message();
  session.run_to(5'000);
  REQUIRE(session.reports().size() == 1);
  CHECK(session.reports()[0].result == DeliveryResult::kUnfinished);
  CHECK(session.reports()[0].reason == "accepted, but its turn was not over in time");
  session.status(AgentStatus::kIdle);
  CHECK(session.reports().size() == 1);
}

TEST_CASE("a sender that goes away takes back what was not typed") {
  OpenSession session;
  session.sends({.text = "one"});
  session.sends({.text = "two"});
  session.run_to(session.now() + 600);
  REQUIRE(session.typed().size() == 1);
  session.withdraws("m1");  // too late: it is in the box already
  session.withdraws("m2");
  session.accept_message_in_box("one");
  session.status(AgentStatus::kIdle);
  session.run_to(session.now() + 60'000);
  CHECK(session.typed() == std::vector{bracketed("one"), std::string("\r")});
  CHECK(phases(session, "m2") == std::vector{MessagePhase::kQueued, MessagePhase::kFailed});
}

TEST_CASE("a message taken back at the gate lets the run go on") {
  Rig rig(plan_of(Until::kIdle));
  rig.accept_message();
  const std::string id = rig.sends({.text = "more"});
  rig.status(AgentStatus::kIdle);
  CHECK(rig.stops().empty());
  rig.withdraws(id);
  CHECK(rig.stops().size() == 1);
}

TEST_CASE("at the agent's end every message that waits is told") {
  OpenSession session;
  session.sends({.text = "one", .until_idle = true});
  session.sends({.text = "two"});
  session.accept_message();
  session.exits(0);
  REQUIRE(session.reports().size() == 2);
  CHECK(session.reports()[0].result == DeliveryResult::kExited);
  CHECK(session.reports()[0].reason == "accepted, but the agent exited before it was idle");
  CHECK(session.reports()[1].result == DeliveryResult::kExited);
  CHECK(phases(session, "m2") == std::vector{MessagePhase::kQueued, MessagePhase::kFailed});
}

TEST_CASE("a command's turn is over when nothing comes of it") {
  adapters::Manifest manifest;
  manifest.input.command_start = "/";
  Rig rig(plan_of(Until::kExit, ""), manifest);
  rig.show(at_prompt());
  rig.status(AgentStatus::kIdle);
  rig.sends({.text = "/clear", .as_command = true, .until_idle = true});
  rig.run_to(rig.now() + 600);
  rig.accept_message_in_box("/clear");
  rig.status(AgentStatus::kIdle);
  const TimeMs accepted = rig.now();
  rig.run_to(accepted + 1'400);
  CHECK(rig.reports().empty());
  rig.run_to(accepted + 1'500);
  CHECK(rig.reports().size() == 1);
}

TEST_CASE("an error ends a run but not a session that others write to") {
  OpenSession session;
  session.sends({.text = "one"});
  session.accept_message();
  session.show(at_prompt());
  session.status(AgentStatus::kError, Cause::kApi);
  CHECK(session.stops().empty());
  session.sends({.text = "again"});
  session.run_to(session.now() + 600);
  CHECK(session.typed().back() == bracketed("again"));
}

TEST_CASE("a message that makes the agent exit at once was accepted") {
  Rig rig(plan_of(Until::kExit, ""));
  rig.show(at_prompt());
  rig.status(AgentStatus::kIdle);
  rig.sends({.text = "bye"});
  rig.run_to(rig.now() + 500);
  rig.show(at_prompt("bye"));
  rig.run_to(rig.now() + 400);
  REQUIRE(rig.typed().back() == "\r");
  rig.show(at_prompt());
  rig.exits(0);
  REQUIRE(rig.reports().size() == 1);
  CHECK(rig.reports()[0].result == DeliveryResult::kAccepted);
}

TEST_CASE("a message behind a turn that stands at a dialog is blocked, not left to wait") {
  RunPlan plan = plan_of(Until::kComplete);
  plan.ask_timeout_ms = kNever;
  Rig rig(plan);
  rig.accept_message();
  rig.show(dialog());
  rig.status(AgentStatus::kWaiting, event::Cause::kPermission);
  rig.run_to(rig.now() + 10'000);
  const std::string id = rig.sends({.text = "hello"});
  rig.run_to(rig.now() + 4'999);
  CHECK(rig.reports().empty());
  rig.run_to(rig.now() + 1);
  REQUIRE(rig.reports().size() == 1);
  CHECK(rig.reports()[0].id == id);
  CHECK(rig.reports()[0].result == DeliveryResult::kBlocked);
  CHECK(rig.stops().empty());
}

TEST_CASE("a message whose report nobody awaits waits at a dialog as long as that stands") {
  RunPlan plan = plan_of(Until::kExit, "");
  plan.ask_timeout_ms = kNever;
  Rig rig(plan);
  const auto nothing_failed = [&rig] {
    for (const event::Message& message : rig.told<event::Message>()) {
      if (message.phase == event::MessagePhase::kFailed) return false;
    }
    return true;
  };
  SECTION("on its way") {
    rig.show(dialog());
    rig.status(AgentStatus::kWaiting, event::Cause::kPermission);
    rig.sends({.text = "mail", .awaited = false});
  }
  SECTION("behind a turn") {
    rig.show(at_prompt());
    rig.status(AgentStatus::kIdle);
    rig.sends({.text = "do it"});
    rig.accept_message();
    rig.show(dialog());
    rig.status(AgentStatus::kWaiting, event::Cause::kPermission);
    rig.sends({.text = "mail", .awaited = false});
  }
  rig.run_to(rig.now() + 3'600'000);
  CHECK(nothing_failed());
  rig.show(at_prompt());
  rig.status(AgentStatus::kIdle);
  rig.run_to(rig.now() + 20'000);
  CHECK(rig.typed().back() == bracketed("mail"));
}

TEST_CASE("a message that was typed and leads to a dialog is told of at its time") {
  const bool as_command = GENERATE(true, false);
  RunPlan plan = plan_of(Until::kExit, "");
  plan.ask_timeout_ms = kNever;
  Rig session(plan);
  session.show(at_prompt());
  session.status(AgentStatus::kIdle);
  session.sends({.text = "resume", .as_command = as_command, .timeout_ms = 8'000});
  session.run_to(500);
  REQUIRE(session.typed().size() == 1);
  session.show(at_prompt("resume"));
  session.run_to(900);
  session.show(dialog());
  session.status(AgentStatus::kWaiting, Cause::kNone);
  session.run_to(7'900);
  CHECK(session.reports().empty());
  session.run_to(8'000);
  REQUIRE(session.reports().size() == 1);
  CHECK(session.reports()[0].result ==
        (as_command ? DeliveryResult::kTimeout : DeliveryResult::kUnconfirmed));
  session.run_to(60'000);
  CHECK(session.reports().size() == 1);
}

}  // namespace
}  // namespace orch::run
