#include "run/novelty.h"

#include <catch2/catch.hpp>

#include "machine_rig.h"

namespace orch::run {
namespace {

TEST_CASE("a turn is barren when all its lines were said before") {
  Novelty novelty;
  novelty.on_line("I am done.");
  novelty.on_turn_ended();
  CHECK(novelty.barren_turns() == 0);
  novelty.on_line("  I am done. ");
  novelty.on_turn_ended();
  novelty.on_line("");
  novelty.on_turn_ended();
  CHECK(novelty.barren_turns() == 2);
  CHECK(novelty.last_line() == "I am done.");
  novelty.on_line("I am done.");
  novelty.on_line("One more test.");
  novelty.on_turn_ended();
  CHECK(novelty.barren_turns() == 0);
}

TEST_CASE("an agent that repeats itself is not asked fifty times") {
  Rig rig(plan_of(Until::kComplete));
  int turns = 0;
  for (; rig.stops().empty() && turns < 50; ++turns) rig.turn({"All of it is done already."});
  CHECK(turns == 6);  // the first turn said something new
  rig.exits(0);
  CHECK(rig.machine().verdict().reason == event::ExitReason::kStuck);
  CHECK(rig.machine().verdict().detail ==
        "5 turns in a row brought nothing new; the last ended with: All of it is done already.");
}

TEST_CASE("a tool's output or another word is something new") {
  Rig rig(plan_of(Until::kComplete));
  for (int turn = 0; turn < 12; ++turn) {
    rig.accept_message();
    rig.says("Working on it.");
    if (turn % 4 == 3) rig.says("Edit(" + std::to_string(turn) + ".cc)", agent::Speaker::kTool);
    rig.status(event::AgentStatus::kIdle);
    rig.show(at_prompt());
  }
  CHECK(rig.stops().empty());
}

}  // namespace
}  // namespace orch::run
