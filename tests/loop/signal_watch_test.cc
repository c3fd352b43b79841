#include "loop/signal_watch.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <memory>

#include "loop/loop.h"
#include "loop/timer.h"

using orch::loop::Loop;
using orch::loop::SignalWatch;
using orch::loop::Timer;

TEST_CASE("a signal is told in the loop, every time it comes") {
  Loop loop;
  int seen = 0;
  SignalWatch watch(loop, SIGUSR1, [&](int signum) {
    CHECK(signum == SIGUSR1);
    if (++seen < 3) {
      ::raise(SIGUSR1);
    } else {
      loop.stop();
    }
  });
  watch.keep_running();
  ::raise(SIGUSR1);
  CHECK(seen == 0);
  loop.run();
  CHECK(seen == 3);
}

TEST_CASE("a signal watch alone does not keep the loop running") {
  Loop loop;
  SignalWatch watch(loop, SIGUSR1, [](int) { FAIL("no signal was sent"); });
  loop.run();
  SUCCEED("run returned");
}

TEST_CASE("a signal watch may be destroyed from its own callback") {
  Loop loop;
  std::unique_ptr<SignalWatch> watch;
  watch = std::make_unique<SignalWatch>(loop, SIGUSR2, [&](int) { watch.reset(); });
  watch->keep_running();
  ::raise(SIGUSR2);
  loop.run();
  CHECK(watch == nullptr);
}

TEST_CASE("two watches of one signal are both told") {
  Loop loop;
  int seen = 0;
  SignalWatch one(loop, SIGUSR1, [&](int) { ++seen; });
  SignalWatch two(loop, SIGUSR1, [&](int) { ++seen; });
  Timer guard(loop);
  guard.start(20, [] {});
  ::raise(SIGUSR1);
  loop.run();
  CHECK(seen == 2);
}
