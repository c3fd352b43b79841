#include "run/machine.h"

#include <catch2/catch.hpp>
#include <csignal>

#include "machine_rig.h"

namespace orch::run {
namespace {

using event::AgentStatus;
using event::Cause;
using event::ExitReason;
using event::MessagePhase;

std::vector<MessagePhase> phases(const Rig& rig) {
  std::vector<MessagePhase> all;
  for (const event::Message& message : rig.told<event::Message>()) all.push_back(message.phase);
  return all;
}

TEST_CASE("a message is told queued, sent and accepted, then its turn begins") {
  Rig rig(plan_of(Until::kComplete));
  rig.accept_message();
  CHECK(phases(rig) ==
        std::vector{MessagePhase::kQueued, MessagePhase::kSent, MessagePhase::kAccepted});
  CHECK(rig.told<event::Turn>() == std::vector{event::Turn{1, false}});
  CHECK(rig.typed() == std::vector{bracketed("do it"), std::string("\r")});
  CHECK(rig.machine().messages_sent() == 1);
}

TEST_CASE("a message of which nothing was typed is never told as sent") {
  Rig timeout(plan_of(Until::kComplete));
  timeout.run_to(15'000);
  CHECK(phases(timeout) == std::vector{MessagePhase::kQueued, MessagePhase::kFailed});

  Rig blocked(plan_of(Until::kComplete));
  blocked.show(at_prompt("a draft"));
  CHECK(phases(blocked) == std::vector{MessagePhase::kQueued, MessagePhase::kFailed});
}

TEST_CASE("an agent that stops early is asked to continue, up to the turns allowed") {
  RunPlan plan = plan_of(Until::kComplete);
  plan.max_turns = 3;
  Rig rig(plan);
  rig.turn({"part one"});
  CHECK(rig.stops().empty());
  rig.turn({"part two"});
  rig.turn({"part three"});
  CHECK(rig.stops() == std::vector{StopAgent::Manner::kPolitely});
  CHECK(rig.machine().turns() == 3);
  CHECK(rig.machine().messages_sent() == 3);
  REQUIRE(rig.typed().size() == 6);
  CHECK(rig.typed()[2] == rig.typed()[4]);
  CHECK(rig.typed()[2].find("LOOP_COMPLETE") != std::string::npos);
  CHECK(rig.told<event::Turn>() == std::vector{event::Turn{1, false}, event::Turn{1, true},
                                               event::Turn{2, false}, event::Turn{2, true},
                                               event::Turn{3, false}, event::Turn{3, true}});
  rig.exits(0);
  CHECK(rig.machine().verdict().reason == ExitReason::kTurns);
  CHECK(rig.machine().verdict().detail == "the agent did not say LOOP_COMPLETE in 3 turns");
}

TEST_CASE("a keyword of the run's own is the one that counts") {
  RunPlan plan = plan_of(Until::kComplete);
  plan.keyword = "SHIP_IT";
  Rig rig(plan);
  rig.turn({"LOOP_COMPLETE"});
  CHECK(rig.stops().empty());
  rig.turn({"SHIP_IT"});
  CHECK(rig.stops() == std::vector{StopAgent::Manner::kPolitely});
}

TEST_CASE("a keyword before the message does not complete its turn") {
  Rig rig(plan_of(Until::kComplete));
  rig.says("LOOP_COMPLETE");
  rig.turn({"I am not done."});
  CHECK(rig.stops().empty());
  CHECK(rig.told<event::Message>().back() ==
        event::Message{"m2", event::MessagePhase::kQueued, "", 0, "run"});
}

TEST_CASE("a keyword said in the moment the message is accepted counts") {
  Rig rig(plan_of(Until::kComplete));
  rig.show(at_prompt());
  rig.status(AgentStatus::kIdle);
  rig.run_to(600);
  rig.show(at_prompt("do it"));
  rig.run_to(1'100);
  REQUIRE(rig.typed().back() == "\r");
  rig.says("LOOP_COMPLETE");
  rig.show(at_prompt(""));
  rig.run_to(1'300);
  rig.status(AgentStatus::kIdle);
  CHECK(rig.stops() == std::vector{StopAgent::Manner::kPolitely});
}

TEST_CASE("the keyword of the echo, a tool or a quotation does not count") {
  Rig rig(plan_of(Until::kComplete));
  rig.accept_message();
  rig.says("LOOP_COMPLETE", agent::Speaker::kUser);
  rig.says("LOOP_COMPLETE", agent::Speaker::kTool);
  rig.says("> LOOP_COMPLETE");
  rig.says("I say LOOP_COMPLETE when I am done.");
  rig.status(AgentStatus::kIdle);
  CHECK(rig.stops().empty());
  CHECK(rig.told<event::Message>().back() ==
        event::Message{"m2", event::MessagePhase::kQueued, "", 0, "run"});
}

TEST_CASE("an idle prompt right after Enter is not the end of the turn") {
  Rig rig(plan_of(Until::kIdle));
  rig.show(at_prompt());
  rig.status(AgentStatus::kIdle);
  rig.run_to(600);
  rig.show(at_prompt("do it"));
  rig.run_to(1'100);
  rig.show(at_prompt(""));
  rig.run_to(1'300);
  CHECK(phases(rig).back() == MessagePhase::kAccepted);
  rig.status(AgentStatus::kWorking, Cause::kSubmitted);
  rig.status(AgentStatus::kIdle);
  const TimeMs accepted = rig.now();
  rig.run_to(accepted + 9'999);
  CHECK(rig.stops().empty());
  SECTION("work may yet be seen") {
    rig.status(AgentStatus::kWorking);
    rig.run_to(accepted + 60'000);
    CHECK(rig.stops().empty());
    rig.status(AgentStatus::kIdle);
    CHECK(rig.stops() == std::vector{StopAgent::Manner::kPolitely});
  }
  SECTION("or words be heard") {
    rig.says("Yes.");
    rig.look();
    CHECK(rig.stops() == std::vector{StopAgent::Manner::kPolitely});
  }
  SECTION("or nothing at all for ten seconds") {
    rig.run_to(accepted + 10'000);
    CHECK(rig.stops() == std::vector{StopAgent::Manner::kPolitely});
  }
}

TEST_CASE("a permission that a human gives in time lets the turn go on") {
  Rig rig(plan_of(Until::kIdle));
  rig.accept_message();
  rig.show(dialog());
  rig.status(AgentStatus::kWaiting, Cause::kPermission);
  rig.run_to(rig.now() + 500);
  rig.show(working());
  rig.status(AgentStatus::kWorking, Cause::kTool);
  rig.run_to(rig.now() + 60'000);
  CHECK(rig.stops().empty());
  rig.status(AgentStatus::kIdle);
  CHECK(rig.stops() == std::vector{StopAgent::Manner::kPolitely});
}

TEST_CASE("a run without a prompt types nothing") {
  Rig rig(plan_of(Until::kExit, ""));
  rig.show(at_prompt());
  rig.status(AgentStatus::kIdle);
  rig.run_to(60'000);
  CHECK(rig.typed().empty());
  CHECK(rig.events().empty());
  CHECK(rig.machine().messages_sent() == 0);
}

TEST_CASE("an agent that exits before its message leaves it failed") {
  Rig rig(plan_of(Until::kComplete));
  rig.exits(1);
  CHECK(phases(rig) == std::vector{MessagePhase::kQueued, MessagePhase::kFailed});
  CHECK(rig.told<event::Message>().back().reason == "the agent exited");
  CHECK(rig.machine().verdict().reason == ExitReason::kAgentFailed);
}

TEST_CASE("once the agent is being stopped nothing more is typed or decided") {
  Rig rig(plan_of(Until::kComplete));
  rig.turn({"LOOP_COMPLETE"});
  const size_t typed = rig.typed().size();
  const size_t events = rig.events().size();
  rig.show(dialog());
  rig.status(AgentStatus::kWaiting, Cause::kQuestion);
  rig.run_to(rig.now() + 60'000);
  rig.show(at_prompt());
  rig.status(AgentStatus::kError, Cause::kApi);
  rig.fails("too late");
  CHECK(rig.typed().size() == typed);
  CHECK(rig.events().size() == events);
  CHECK(rig.stops().size() == 1);
  CHECK(rig.machine().next_deadline() == kNever);
}

TEST_CASE("after the end nothing happens any more") {
  Rig rig(plan_of(Until::kComplete));
  rig.exits(0);
  const size_t events = rig.events().size();
  rig.signal(SIGINT);
  rig.exits(1);
  rig.status(AgentStatus::kIdle);
  rig.run_to(60'000);
  CHECK(rig.typed().empty());
  CHECK(rig.stops().empty());
  CHECK(rig.events().size() == events);
  CHECK(rig.machine().verdict().reason == ExitReason::kExitedEarly);
}

TEST_CASE("what fails after the end makes another end of it, which is told once") {
  Rig rig(plan_of(Until::kComplete));
  rig.exits(0);
  const size_t events = rig.events().size();
  rig.fails("the disk is full");
  rig.fails("the disk is full");
  CHECK(rig.machine().verdict().reason == ExitReason::kInternal);
  CHECK(rig.machine().verdict().detail == "the disk is full");
  REQUIRE(rig.events().size() == events + 1);
  const auto* exit = std::get_if<event::Exit>(&rig.events().back());
  REQUIRE(exit != nullptr);
  CHECK(exit->reason == ExitReason::kInternal);
}

}  // namespace
}  // namespace orch::run
