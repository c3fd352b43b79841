// Limits that a run waits for, and silences that it investigates.
#include <catch2/catch.hpp>

#include "machine_rig.h"

namespace orch::run {
namespace {

using event::AgentStatus;
using event::Cause;
using event::ExitReason;

constexpr LimitReset kIn90s{90, LimitReset::Kind::kDuration};

RunPlan waiting_plan() {
  RunPlan plan = plan_of(Until::kIdle);
  plan.on_limit = OnLimit::kWait;
  return plan;
}

void meet_limit(Rig& rig) {
  rig.accept_message();
  rig.show(at_prompt());
  rig.status(AgentStatus::kError, Cause::kRateLimit);
}

TEST_CASE("a run that ends at a limit says when to try again") {
  Rig rig(plan_of(Until::kIdle));
  meet_limit(rig);
  CHECK(rig.limits() == 1);
  CHECK(rig.stops().empty());
  rig.limit_ends(kIn90s);
  REQUIRE(rig.stops().size() == 1);
  rig.exits(0);
  CHECK(rig.machine().verdict().reason == ExitReason::kRetryLater);
  CHECK(rig.machine().verdict().retry_after_s == 90);
}

TEST_CASE("a run that waits resumes once, with one message, when the limit has ended") {
  Rig rig(waiting_plan());
  meet_limit(rig);
  rig.limit_ends(kIn90s);
  const TimeMs met = rig.now();
  const size_t typed = rig.typed().size();
  rig.run_to(met + 94'999);
  CHECK(rig.typed().size() == typed);
  rig.run_to(met + 95'000);
  rig.accept_message();
  CHECK(rig.typed().size() == typed + 2);
  rig.status(AgentStatus::kIdle);
  CHECK(rig.stops().size() == 1);  // the goal of the run, idle, is reached
  CHECK(rig.limits() == 1);
}

TEST_CASE("a limit that another run has met is waited for with the prompt, by the wall clock") {
  RunPlan plan = waiting_plan();
  plan.limited_until_ms = 1'700'000'000'000 + 90'000;  // 90 s after the start
  Rig rig(plan);
  rig.show(at_prompt());
  rig.status(AgentStatus::kIdle);
  rig.run_to(89'999);
  CHECK(rig.typed().empty());
  CHECK(rig.stops().empty());
  rig.run_to(90'000);
  rig.accept_message();
  REQUIRE(rig.typed().size() == 2);
  CHECK(rig.typed()[0].find("do it") != std::string::npos);
  rig.status(AgentStatus::kIdle);
  CHECK(rig.stops().size() == 1);
}

TEST_CASE("while a limit that another run has met is waited for the run's own time passes") {
  RunPlan plan = waiting_plan();
  plan.limited_until_ms = 1'700'000'000'000 + 90'000;
  plan.timeout_ms = 20'000;
  Rig rig(plan);
  rig.show(at_prompt());
  rig.status(AgentStatus::kIdle);
  rig.run_to(20'000);
  REQUIRE(rig.stops().size() == 1);
  rig.exits(0);
  CHECK(rig.machine().verdict().reason == ExitReason::kTimeout);
  CHECK(rig.typed().empty());
}

TEST_CASE("a run that does not wait for limits begins, whatever others have met") {
  RunPlan plan = plan_of(Until::kIdle);
  plan.limited_until_ms = 1'700'000'000'000 + 90'000;
  Rig rig(plan);
  rig.accept_message();
  CHECK(rig.typed().size() == 2);
}

TEST_CASE("a limit's end is waited for by the clock that it was named by") {
  using Kind = LimitReset::Kind;
  constexpr int64_t kHourMs = 3'600'000;
  const auto kind = GENERATE(Kind::kMoment, Kind::kDuration);
  INFO((kind == Kind::kMoment ? "a moment" : "a duration"));
  Rig rig(waiting_plan());
  meet_limit(rig);
  rig.limit_ends(LimitReset{3 * 3'600 - 5, kind});
  const TimeMs met = rig.now();
  const size_t typed = rig.typed().size();
  const auto goes_on_at = [&](TimeMs at) {
    rig.run_to(at - 1);
    CHECK(rig.typed().size() == typed);
    rig.run_to(at);
    rig.accept_message();
    CHECK(rig.typed().size() == typed + 2);
  };
  SECTION("the machine was suspended meanwhile") {
    rig.suspended(2 * kHourMs);
    goes_on_at(met + kHourMs);
  }
  SECTION("it woke after the end") {
    rig.suspended(4 * kHourMs);
    rig.run_to(met + 30'000);
    rig.accept_message();
    CHECK(rig.typed().size() == typed + 2);
  }
  SECTION("the wall clock was set back") {
    rig.wall_clock_set(-kHourMs);
    goes_on_at(met + (kind == Kind::kMoment ? 4 : 3) * kHourMs);
  }
  SECTION("the wall clock was set forward") {
    rig.wall_clock_set(kHourMs);
    goes_on_at(met + (kind == Kind::kMoment ? 2 : 3) * kHourMs);
  }
}

TEST_CASE("without a named moment the delay grows from limit to limit") {
  Rig rig(waiting_plan());
  TimeMs delay = 60'000;
  for (int i = 0; i < 3; ++i) {
    meet_limit(rig);
    rig.limit_ends(std::nullopt);
    const TimeMs met = rig.now();
    const size_t typed = rig.typed().size();
    rig.run_to(met + delay - 1);
    CHECK(rig.typed().size() == typed);
    rig.run_to(met + delay);
    delay *= 2;
  }
}

TEST_CASE("somebody's message is what a limited run resumes with") {
  Rig rig(waiting_plan());
  meet_limit(rig);
  rig.limit_ends(LimitReset{10, LimitReset::Kind::kDuration});
  rig.sends({.text = "go on with the tests"});
  rig.run_to(rig.now() + 14'000);
  const size_t typed = rig.typed().size();
  rig.run_to(rig.now() + 1'000);
  rig.accept_message();
  CHECK(rig.typed()[typed] == bracketed("go on with the tests"));
}

RunPlan impatient_plan() {
  RunPlan plan = plan_of(Until::kIdle);
  plan.idle_timeout_ms = 30'000;
  return plan;
}

TEST_CASE("silence ends a run only when nothing else shows life") {
  Rig rig(impatient_plan());
  rig.accept_message();
  const TimeMs began = rig.now();
  rig.run_to(began + 29'000);
  CHECK(rig.silences() == 0);
  rig.run_to(began + 31'000);
  REQUIRE(rig.silences() == 1);
  SECTION("alive: it may be silent for as long again") {
    rig.life_signs(true);
    rig.run_to(rig.now() + 29'000);
    CHECK(rig.silences() == 1);
    rig.run_to(rig.now() + 2'000);
    CHECK(rig.silences() == 2);
    CHECK(rig.stops().empty());
  }
  SECTION("no life: stuck, with the evidence") {
    rig.life_signs(false);
    REQUIRE(rig.stops().size() == 1);
    rig.exits(0, 15);
    CHECK(rig.machine().verdict().reason == ExitReason::kStuck);
    CHECK(rig.machine().verdict().detail == "--idle-timeout 30s passed: evidence");
  }
  SECTION("it became idle while it was looked at") {
    rig.status(AgentStatus::kIdle);
    rig.life_signs(false);
    rig.exits(0);
    CHECK(rig.machine().verdict().reason == ExitReason::kIdle);
  }
}

TEST_CASE("a turn of which silent work in the background is left is over, and not stuck") {
  Rig rig(impatient_plan());
  rig.accept_message();
  rig.says("The server runs.");
  rig.status(AgentStatus::kWorking, Cause::kBackground);
  const TimeMs began = rig.now();
  rig.run_to(began + 31'000);
  REQUIRE(rig.silences() == 1);
  SECTION("it shows life: it goes on") {
    rig.life_signs(true);
    CHECK(rig.stops().empty());
  }
  SECTION("it does not") {
    rig.life_signs(false);
    rig.exits(0);
    CHECK(rig.machine().verdict().reason == ExitReason::kIdle);
  }
}

TEST_CASE("a message does not wait for work in the background") {
  Rig rig(impatient_plan());
  rig.accept_message();
  rig.says("It is being built.");
  rig.sends({.text = "and now?"});
  rig.run_to(rig.now() + 5'000);
  const size_t typed = rig.typed().size();
  rig.status(AgentStatus::kWorking, Cause::kBackground);
  rig.show(at_prompt());
  rig.run_to(rig.now() + 1'000);
  CHECK(rig.typed().size() == typed);
  rig.run_to(rig.now() + 5'000);
  CHECK(rig.typed().size() > typed);
}

TEST_CASE("an agent that is idle or waits is not stuck") {
  RunPlan plan = impatient_plan();
  plan.until = Until::kExit;
  plan.ask_timeout_ms = kNever;
  for (const AgentStatus status : {AgentStatus::kIdle, AgentStatus::kWaiting}) {
    Rig rig(plan);
    rig.accept_message();
    rig.show(status == AgentStatus::kIdle ? at_prompt() : dialog());
    rig.status(status);
    rig.run_to(rig.now() + 600'000);
    CHECK(rig.silences() == 0);
    CHECK(rig.stops().empty());
  }
}

TEST_CASE("a restart that comes while signs of life are looked for does not end the watch") {
  Rig rig(impatient_plan());
  rig.accept_message();
  rig.run_to(rig.now() + 31'000);
  REQUIRE(rig.silences() == 1);
  rig.restarted();  // the request dies with the old process, without an answer
  rig.show(starting());
  rig.status(AgentStatus::kStarting);
  rig.accept_message();
  rig.run_to(rig.now() + 31'000);
  CHECK(rig.silences() == 2);
}

}  // namespace
}  // namespace orch::run
