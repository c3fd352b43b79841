#include "loop/loop.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <memory>

#include "loop/timer.h"

using orch::loop::Loop;
using orch::loop::Timer;

TEST_CASE("run returns at once when nothing is started") {
  Loop loop;
  loop.run();
  Timer timer(loop);
  loop.run();
  CHECK_FALSE(timer.active());
}

TEST_CASE("stop ends run although work is left, and run may be called again") {
  Loop loop;
  int fired = 0;
  Timer first(loop);
  Timer second(loop);
  first.start(0, [&] {
    ++fired;
    loop.stop();
  });
  second.start(20, [&] { ++fired; });
  loop.run();
  CHECK(fired == 1);
  loop.run();
  CHECK(fired == 2);
}

TEST_CASE("a loop that was stopped after its last run is destroyed cleanly") {
  auto loop = std::make_unique<Loop>();
  auto timer = std::make_unique<Timer>(*loop);
  timer->start(60'000, [] {});
  timer.reset();
  loop->stop();
  loop.reset();
  SUCCEED("no unclosed handle aborted the destructor");
}

TEST_CASE("the clock does not go back and counts milliseconds") {
  Loop loop;
  const int64_t before = loop.now_ms();
  Timer timer(loop);
  timer.start(30, [] {});
  loop.run();
  CHECK(loop.now_ms() - before >= 30);
  CHECK(loop.now_ms() - before < 10'000);
}

TEST_CASE("with a loop, writing to a closed peer is EPIPE") {
  Loop loop;
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  ::close(ends[0]);
  CHECK(::write(ends[1], "x", 1) == -1);
  CHECK(errno == EPIPE);
  ::close(ends[1]);
}
