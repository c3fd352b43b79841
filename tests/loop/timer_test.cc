#include "loop/timer.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <thread>

#include "base/fd.h"
#include "loop/loop.h"
#include "loop/watched_fd.h"

using orch::loop::Loop;
using orch::loop::Timer;

TEST_CASE("timers fire once each, in the order of their times") {
  Loop loop;
  std::string order;
  Timer late(loop);
  Timer early(loop);
  late.start(20, [&] { order += "late "; });
  early.start(5, [&] { order += "early "; });
  loop.run();
  CHECK(order == "early late ");
  CHECK_FALSE(early.active());
}

TEST_CASE("a timer never fires before its time by the loop's clock") {
  Loop loop;
  Timer timer(loop);
  for (int64_t delay = 0; delay < 20; ++delay) {
    const int64_t due = loop.now_ms() + delay;
    int64_t fired_at = 0;
    timer.start(delay, [&] { fired_at = loop.now_ms(); });
    loop.run();
    CHECK(fired_at >= due);
  }
}

TEST_CASE("starting an active timer replaces what it was to do") {
  Loop loop;
  std::string fired;
  Timer timer(loop);
  timer.start(1, [&] { fired += "first"; });
  timer.start(2, [&] { fired += "second"; });
  loop.run();
  CHECK(fired == "second");
}

TEST_CASE("a stopped timer does not fire and does not keep the loop running") {
  Loop loop;
  bool fired = false;
  Timer timer(loop);
  timer.start(60'000, [&] { fired = true; });
  CHECK(timer.active());
  timer.stop();
  CHECK_FALSE(timer.active());
  loop.run();
  CHECK_FALSE(fired);
}

TEST_CASE("a delay that is past means now") {
  Loop loop;
  bool fired = false;
  Timer timer(loop);
  timer.start(-1000, [&] { fired = true; });
  loop.run();
  CHECK(fired);
}

TEST_CASE("a timer may be started again or destroyed from its own callback") {
  Loop loop;
  int fired = 0;
  auto timer = std::make_unique<Timer>(loop);
  const std::string kept = "a capture long enough to live on the heap and be read after the end";
  timer->start(0, [&, kept] {
    ++fired;
    timer->start(0, [&, kept] {
      timer.reset();
      fired += static_cast<int>(!kept.empty());
    });
  });
  loop.run();
  CHECK(fired == 2);
}

TEST_CASE("a timer that comes late lets what came meanwhile be heard first") {
  Loop loop;
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const orch::base::Fd write(ends[1]);
  orch::loop::WatchedFd read(loop, orch::base::Fd(ends[0]));
  int others[2];
  REQUIRE(::pipe2(others, O_CLOEXEC) == 0);
  const orch::base::Fd trigger(others[1]);
  orch::loop::WatchedFd other(loop, orch::base::Fd(others[0]));
  std::string order;
  Timer limit(loop);
  read.start(orch::loop::kReadable, [&](int) {
    order += "heard ";
    read.stop();
  });
  limit.start(20, [&] { order += "limit "; });
  // As if the process was stopped after the descriptors were polled, so that timers come next.
  REQUIRE(::write(trigger.get(), "x", 1) == 1);
  other.start(orch::loop::kReadable, [&](int) {
    other.stop();
    REQUIRE(::write(write.get(), "x", 1) == 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(2 * orch::loop::kLateMs));
  });
  loop.run();
  CHECK(order == "heard limit ");
}

TEST_CASE("while the process stands still no limit passes, and what came has its time afterwards") {
  Loop loop;
  int ends[2], go[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  REQUIRE(::pipe2(go, O_CLOEXEC) == 0);
  orch::loop::WatchedFd read(loop, orch::base::Fd(ends[0]));
  const pid_t ourselves = ::getpid();
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    char byte = 0;
    if (::read(go[0], &byte, 1) != 1) ::_exit(1);
    ::usleep(20'000);  // so that the loop waits
    ::kill(ourselves, SIGSTOP);
    ::usleep(500'000);
    const bool written = ::write(ends[1], "x", 1) == 1;
    ::kill(ourselves, SIGCONT);
    ::_exit(written ? 0 : 1);
  }
  std::string order;
  Timer limit(loop), settled(loop);
  read.start(orch::loop::kReadable, [&](int) {
    order += "heard ";
    read.stop();
    settled.start(60, [&] { order += "settled "; });
  });
  limit.start(250, [&] { order += "limit"; });
  const int64_t before_ms = loop.now_ms();
  const auto begin = std::chrono::steady_clock::now();
  REQUIRE(::write(go[1], "x", 1) == 1);
  loop.run();
  CHECK(order == "heard settled limit");
  CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(560));
  CHECK(loop.now_ms() - before_ms >= 250);
  CHECK(loop.stood_still_us() >= 100'000);
  int status = -1;
  CHECK(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  for (const int fd : {ends[1], go[0], go[1]}) ::close(fd);
}

TEST_CASE("a wait that a new watch begins counts as time that has passed") {
  Loop loop;
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const orch::base::Fd other(ends[1]);
  orch::loop::WatchedFd read(loop, orch::base::Fd(ends[0]));
  Timer first(loop), limit(loop);
  const auto begin = std::chrono::steady_clock::now();
  const int64_t before_ms = loop.now_ms();
  first.start(1, [&] {
    read.start(orch::loop::kReadable, [](int) {});
    limit.start(400, [&] { read.stop(); });
  });
  loop.run();
  const auto took = std::chrono::steady_clock::now() - begin;
  CHECK(took >= std::chrono::milliseconds(400));
  CHECK(took < std::chrono::milliseconds(700));  // once, not once more
  CHECK(loop.now_ms() - before_ms >= 400);
  CHECK(loop.stood_still_us() < 300'000);
}

TEST_CASE("the loop's clock never goes back, however late a turn becomes in its middle") {
  Loop loop;
  Timer busy(loop), idle(loop);
  int64_t before_us = 0, after_us = 0;
  idle.start(30, [] {});
  busy.start(10, [&] {
    before_us = loop.now_us();
    std::this_thread::sleep_for(std::chrono::milliseconds(3 * orch::loop::kLateMs));
    after_us = loop.now_us();
  });
  loop.run();
  CHECK(after_us >= before_us);
  CHECK(loop.now_us() >= after_us);
}
