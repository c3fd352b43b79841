// What a run does once its agent has used its budget.
#include <catch2/catch.hpp>

#include "machine_rig.h"

namespace orch::run {
namespace {

using event::ExitReason;

RunPlan budgeted(Until until, int64_t tokens, double cost_usd) {
  RunPlan plan = plan_of(until);
  plan.max_tokens = tokens;
  plan.max_cost_usd = cost_usd;
  return plan;
}

// Plays a turn that uses this much and ends with these words.
void turn(Rig& rig, const std::string& words, int64_t tokens, std::optional<double> cost_usd) {
  rig.machine().on_news(
      rig.now(),
      event::Usage{
          .in = tokens - 1, .out = 1, .cached = 0, .cost_usd = cost_usd, .source = "stream"});
  rig.turn({words});
}

void check_ended(Rig& rig, ExitReason reason) {
  rig.exits(0);
  REQUIRE(rig.machine().ended());
  CHECK(rig.machine().verdict().reason == reason);
}

}  // namespace

TEST_CASE("tokens are summed up, and the turn that uses up the last is the last") {
  Rig rig(budgeted(Until::kComplete, 100, 0));
  turn(rig, "One.", 60, std::nullopt);
  CHECK(rig.stops().empty());
  turn(rig, "Two.", 40, std::nullopt);
  REQUIRE(rig.stops().size() == 1);
  check_ended(rig, ExitReason::kTokens);
  CHECK(rig.machine().turns() == 2);
  CHECK(rig.machine().verdict().detail == "--max-tokens 100: the agent used 100");
}

TEST_CASE("who is done with the last token is done") {
  Rig rig(budgeted(Until::kComplete, 100, 1));
  turn(rig, "LOOP_COMPLETE", 500, 2.0);
  check_ended(rig, ExitReason::kComplete);
}

TEST_CASE("one turn is one turn, whatever it took") {
  Rig rig(budgeted(Until::kIdle, 100, 0));
  turn(rig, "One.", 500, std::nullopt);
  check_ended(rig, ExitReason::kIdle);
}

TEST_CASE("a turn that a gateway has ended is no success, whatever it says") {
  for (const Until until : {Until::kComplete, Until::kIdle}) {
    Rig rig(budgeted(until, 100, 0));
    rig.machine().on_used_up("--max-tokens 100: 120 used");
    turn(rig, "LOOP_COMPLETE", 120, std::nullopt);
    check_ended(rig, ExitReason::kTokens);
    CHECK(rig.machine().verdict().detail == "--max-tokens 100: 120 used");
  }
}

TEST_CASE("tokens from the cache do not count for a limit of the others") {
  RunPlan plan = plan_of(Until::kComplete);
  plan.max_uncached_tokens = 100;
  Rig rig(plan);
  const auto use = [&rig](int64_t in, int64_t cached) {
    rig.machine().on_news(
        rig.now(),
        event::Usage{.in = in, .out = 10, .cached = cached, .cost_usd = {}, .source = "record"});
  };
  use(1000, 960);
  rig.turn({"One."});
  CHECK(rig.stops().empty());
  use(100, 60);
  rig.turn({"Two."});
  check_ended(rig, ExitReason::kTokens);
  CHECK(rig.machine().verdict().detail == "--max-tokens uncached:100: the agent used 100");
}

TEST_CASE("money is summed up, too; an agent that names none is held to its tokens alone") {
  Rig rig(budgeted(Until::kComplete, 0, 1));
  turn(rig, "One.", 1'000'000, std::nullopt);
  CHECK(rig.stops().empty());
  turn(rig, "Two.", 1, 0.5);
  CHECK(rig.stops().empty());
  turn(rig, "Three.", 1, 0.5);
  check_ended(rig, ExitReason::kCost);
}

TEST_CASE("a session that stays ends with its budget, and what waits for it fails") {
  Rig rig(budgeted(Until::kExit, 100, 0));
  rig.show(at_prompt());
  turn(rig, "One.", 100, std::nullopt);
  check_ended(rig, ExitReason::kTokens);
}

}  // namespace orch::run
