// What a person does at the agent's keyboard, and what the run makes of it.

#include <catch2/catch.hpp>

#include "machine_rig.h"

namespace orch::run {
namespace {

using event::AgentStatus;

constexpr std::string_view kEscape = "\x1b";

void come_to_rest(Rig& rig) {
  rig.status(AgentStatus::kIdle);
  rig.show(at_prompt());
}

TEST_CASE("after an interrupt by hand the run sends nothing of its own") {
  Rig rig(plan_of(Until::kComplete));
  rig.accept_message();
  rig.types(kEscape);
  come_to_rest(rig);
  const size_t typed = rig.typed().size();
  rig.run_to(rig.now() + 600'000);
  CHECK(rig.typed().size() == typed);
  CHECK(rig.stops().empty());
  CHECK(rig.machine().pending() == 0);

  SECTION("until somebody sends a message; then it goes on") {
    rig.sends({.text = "no, the other file"});
    rig.accept_message();
    CHECK(rig.typed()[typed] == bracketed("no, the other file"));
    come_to_rest(rig);
    rig.accept_message();
    CHECK(rig.typed()[typed + 2].find("Continue") != std::string::npos);
  }
  SECTION("the person types it by hand, and the agent completes") {
    rig.types("\r");
    rig.status(AgentStatus::kWorking);
    rig.says("LOOP_COMPLETE");
    come_to_rest(rig);
    CHECK(rig.stops() == std::vector{StopAgent::Manner::kPolitely});
  }
}

TEST_CASE("a message that the agent does not take is no word on how it is to go on") {
  adapters::Manifest manifest;
  manifest.input.command_start = "/";
  Rig rig(plan_of(Until::kComplete), manifest);
  rig.accept_message();
  rig.types(kEscape);
  come_to_rest(rig);
  const size_t typed = rig.typed().size();
  SECTION("it is refused") { rig.sends({.text = "/compact"}); }
  SECTION("a person's draft stands in the box") {
    InputView draft = at_prompt();
    draft.typed = "what if";
    rig.show(draft);
    rig.sends({.text = "go on", .timeout_ms = 20'000});
    rig.run_to(rig.now() + 60'000);
    rig.show(at_prompt());
  }
  SECTION("it is taken back while somebody types") {
    InputView held = at_prompt();
    held.keyboard_busy = held.attended = true;
    rig.show(held);
    rig.withdraws(rig.sends({.text = "go on"}));
    rig.show(at_prompt());
  }
  rig.run_to(rig.now() + 600'000);
  CHECK(rig.typed().size() == typed);
  CHECK(rig.stops().empty());
  CHECK(rig.machine().waits_for_word());
  rig.sends({.text = "no, the other file"});
  rig.accept_message();
  CHECK(rig.typed()[typed] == bracketed("no, the other file"));
  come_to_rest(rig);
  rig.accept_message();
  CHECK(rig.typed()[typed + 2].find("Continue") != std::string::npos);
}

TEST_CASE("after an interrupt by hand the run waits for a person, and its limits act") {
  RunPlan plan = plan_of(Until::kComplete);
  plan.idle_timeout_ms = 30'000;
  SECTION("that of silence") {
    Rig rig(plan);
    rig.accept_message();
    CHECK_FALSE(rig.machine().waits_for_word());
    rig.types(kEscape);
    CHECK_FALSE(rig.machine().waits_for_word());  // the agent still works
    come_to_rest(rig);
    CHECK(rig.machine().waits_for_word());
    CHECK(rig.machine().waits_for_person());
    const TimeMs rests = rig.now();
    InputView held = at_prompt();
    held.keyboard_busy = held.attended = true;
    rig.show(held);
    rig.run_to(rests + 600'000);  // a person at the keyboard may be thinking
    CHECK(rig.stops().empty());
    rig.show(at_prompt());
    const TimeMs left = rig.now();
    rig.run_to(left + 29'000);
    CHECK(rig.stops().empty());
    rig.run_to(left + 30'000);
    REQUIRE(rig.stops() == std::vector{StopAgent::Manner::kPolitely});
    rig.exits(0);
    CHECK(rig.machine().verdict().reason == event::ExitReason::kNeedsHuman);
    CHECK(rig.machine().verdict().detail ==
          "interrupted by hand, and nobody wrote to the agent for --idle-timeout 30s");
  }
  SECTION("that of the whole run") {
    plan.timeout_ms = 60'000;
    plan.idle_timeout_ms = 0;
    Rig rig(plan);
    rig.accept_message();
    rig.types(kEscape);
    come_to_rest(rig);
    rig.run_to(60'000);
    CHECK(rig.stops() == std::vector{StopAgent::Manner::kTerminate});
  }
  SECTION("somebody writes") {
    Rig rig(plan);
    rig.accept_message();
    rig.types(kEscape);
    come_to_rest(rig);
    rig.run_to(rig.now() + 20'000);
    rig.sends({.text = "no, the other file"});
    CHECK_FALSE(rig.machine().waits_for_word());
    rig.accept_message();
    come_to_rest(rig);
    CHECK_FALSE(rig.machine().waits_for_word());
    CHECK(rig.stops().empty());
  }
}

TEST_CASE("an Escape at the prompt is no interrupt") {
  Rig rig(plan_of(Until::kComplete));
  rig.show(at_prompt());
  rig.status(AgentStatus::kIdle);
  rig.types(kEscape);
  rig.accept_message();
  come_to_rest(rig);
  CHECK(rig.told<event::Message>().back() ==
        event::Message{"m2", event::MessagePhase::kQueued, "", 0, "run"});
}

TEST_CASE("Enter on an empty prompt is no turn") {
  Rig rig(plan_of(Until::kExit, ""));
  come_to_rest(rig);
  rig.types("\r");
  rig.run_to(rig.now() + 60'000);
  CHECK(rig.told<event::Turn>().empty());
}

TEST_CASE("while a person holds the keyboard a dialog does not end the run") {
  Rig rig(plan_of(Until::kComplete));
  rig.accept_message();
  InputView held = dialog();
  held.keyboard_busy = true;
  held.attended = true;
  rig.show(held);
  rig.status(AgentStatus::kWaiting, event::Cause::kPermission);
  rig.run_to(rig.now() + 600'000);
  CHECK(rig.stops().empty());
  rig.show(dialog());
  rig.run_to(rig.now() + 10'000);
  CHECK(rig.stops() == std::vector{StopAgent::Manner::kTerminate});
}

}  // namespace
}  // namespace orch::run
