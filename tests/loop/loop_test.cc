#include "loop/loop.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/fd.h"
#include "base/log.h"
#include "loop/timer.h"
#include "loop/watched_fd.h"

using orch::base::Fd;
using orch::loop::Loop;
using orch::loop::Timer;
using orch::loop::WatchedFd;

namespace {

// Collects the log lines that are written while it exists.
class LogLines {
 public:
  LogLines() {
    orch::base::set_log_sink([this](const orch::base::LogLine& line) {
      all.push_back(std::string(line.component) + ": " + std::string(line.text));
    });
  }
  ~LogLines() { orch::base::set_log_sink(nullptr); }
  LogLines(const LogLines&) = delete;
  LogLines& operator=(const LogLines&) = delete;

  std::vector<std::string> all;
};

// Blocks the loop, which no callback may do.
void hold_up(int64_t ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

}  // namespace

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

TEST_CASE("a turn that takes long is named in the log, whoever held it up") {
  const LogLines log;
  Loop loop;
  Timer timer(loop);
  timer.start(0, [] { hold_up(2 * orch::loop::kLateMs); });
  loop.run();
  REQUIRE(log.all.size() == 1);
  const std::string told = "loop: late: one turn took ";
  REQUIRE(log.all[0].starts_with(told));
  CHECK(std::stoi(log.all[0].substr(told.size())) >= 2 * orch::loop::kLateMs);

  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const Fd read(ends[0]);
  WatchedFd writable(loop, Fd(ends[1]));
  writable.start(orch::loop::kWritable, [&](int) {
    hold_up(2 * orch::loop::kLateMs);
    writable.stop();
  });
  loop.run();
  CHECK(log.all.size() == 2);
}

TEST_CASE("waiting is not being late") {
  const LogLines log;
  Loop loop;
  Timer timer(loop);
  timer.start(2 * orch::loop::kLateMs, [] {});
  loop.run();
  CHECK(log.all.empty());
}
