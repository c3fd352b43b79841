#include "pty/stop_ladder.h"

#include <catch2/catch.hpp>

using orch::pty::StopEvent;
using orch::pty::StopLadder;
using orch::pty::StopStep;

TEST_CASE("the ladder goes from quit keys to SIGTERM to SIGKILL to giving up, each in its time") {
  StopLadder ladder({.quit_ms = 300, .term_ms = 5000});
  CHECK(ladder.reached() == StopStep::kNone);
  CHECK(ladder.step(StopEvent::kAsked, 1000) == StopStep::kQuitKeys);
  CHECK(ladder.deadline_ms() == 1300);
  CHECK(ladder.step(StopEvent::kTime, 1299) == StopStep::kNone);
  CHECK(ladder.step(StopEvent::kTime, 1310) == StopStep::kTerminate);
  CHECK(ladder.deadline_ms() == 6310);
  CHECK(ladder.step(StopEvent::kTime, 6309) == StopStep::kNone);
  CHECK(ladder.step(StopEvent::kTime, 6310) == StopStep::kKill);
  CHECK(ladder.deadline_ms() == 9310);
  CHECK(ladder.step(StopEvent::kTime, 9309) == StopStep::kNone);
  CHECK(ladder.step(StopEvent::kTime, 9310) == StopStep::kGiveUp);
  CHECK(ladder.deadline_ms() == std::nullopt);
  CHECK(ladder.step(StopEvent::kTime, 99'999) == StopStep::kNone);
  CHECK(ladder.reached() == StopStep::kGiveUp);
}

TEST_CASE("without quit keys the ladder begins with SIGTERM and grants 5 s") {
  StopLadder ladder({});
  CHECK(ladder.step(StopEvent::kAsked, 10) == StopStep::kTerminate);
  CHECK(ladder.deadline_ms() == 5010);
}

TEST_CASE("being asked again kills at once, from any step") {
  StopLadder typing({.quit_ms = 300, .term_ms = 5000});
  CHECK(typing.step(StopEvent::kAsked, 0) == StopStep::kQuitKeys);
  CHECK(typing.step(StopEvent::kAsked, 1) == StopStep::kKill);
  CHECK(typing.deadline_ms() == 3001);

  StopLadder terminating({});
  CHECK(terminating.step(StopEvent::kAsked, 0) == StopStep::kTerminate);
  CHECK(terminating.step(StopEvent::kAsked, 1) == StopStep::kKill);
  CHECK(terminating.step(StopEvent::kAsked, 2) == StopStep::kKill);
  CHECK(terminating.deadline_ms() == 3001);  // a second request does not postpone it
}

TEST_CASE("time alone never begins the ladder") {
  StopLadder ladder({.quit_ms = 300, .term_ms = 5000});
  CHECK(ladder.step(StopEvent::kTime, 1'000'000) == StopStep::kNone);
  CHECK(ladder.reached() == StopStep::kNone);
  CHECK(ladder.deadline_ms() == std::nullopt);
}
