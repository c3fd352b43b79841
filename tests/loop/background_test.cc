#include "loop/background.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "loop/loop.h"
#include "loop/timer.h"

using orch::loop::Background;
using orch::loop::Loop;
using orch::loop::Timer;

namespace {

class TestJob final : public Background::Job {
 public:
  TestJob(std::function<void()> work, std::function<void()> done)
      : work_(std::move(work)), done_(std::move(done)) {}
  void run() override { work_(); }
  void on_done() override { done_(); }

 private:
  std::function<void()> work_, done_;
};

std::unique_ptr<TestJob> job(
    std::function<void()> work, std::function<void()> done = [] {}) {
  return std::make_unique<TestJob>(std::move(work), std::move(done));
}

// Makes jobs that run until the test lets them go, like one on a disk that does not answer.
class Gate {
 public:
  std::unique_ptr<TestJob> held(std::function<void()> done = [] {}) {
    return job(
        [this] {
          begun_.set_value();
          open_.get_future().wait();
          ended = true;
        },
        std::move(done));
  }
  void await_begin() { begun_.get_future().wait(); }
  void open() { open_.set_value(); }

  std::atomic<bool> ended = false;

 private:
  std::promise<void> begun_, open_;
};

}  // namespace

TEST_CASE("a loop goes on while work waits, and is told when it is done") {
  Loop loop;
  Background background(loop);
  Gate gate;
  Timer timer(loop);
  bool told = false;
  background.submit(gate.held([&] { told = true; }));
  CHECK_FALSE(background.idle());
  timer.start(0, [&] {
    CHECK_FALSE(told);
    gate.open();
  });
  loop.run();  // returns when the work is done
  CHECK(told);
  CHECK(background.idle());
}

TEST_CASE("jobs are run one after the other, in another thread, and told in the loop's") {
  Loop loop;
  Background background(loop);
  std::string done, told;
  const auto here = std::this_thread::get_id();
  for (const char name : {'a', 'b', 'c'}) {
    background.submit(job(
        [&done, name, here] {
          if (std::this_thread::get_id() != here) done += name;
        },
        [&told, name, here] {
          if (std::this_thread::get_id() == here) told += name;
        }));
  }
  loop.run();
  CHECK(done == "abc");
  CHECK(told == "abc");
}

TEST_CASE("who is gone is told nothing; what was begun is still done, the rest is not") {
  auto loop = std::make_unique<Loop>();
  auto background = std::make_unique<Background>(*loop);
  Gate gate;
  bool told = false, more = false;
  background->submit(gate.held([&] { told = true; }));
  background->submit(job([&] { more = true; }, [&] { told = true; }));
  gate.await_begin();
  background.reset();
  gate.open();
  loop.reset();  // waits for the job
  CHECK(gate.ended);
  CHECK_FALSE(told);
  CHECK_FALSE(more);
}

TEST_CASE("work that never ends holds up neither the loop's end nor the program's") {
  auto gate = std::make_unique<Gate>();
  auto loop = std::make_unique<Loop>();
  auto background = std::make_unique<Background>(*loop);
  background->submit(gate->held());
  gate->await_begin();
  const auto before = std::chrono::steady_clock::now();
  background.reset();
  loop.reset();
  CHECK(std::chrono::steady_clock::now() - before < std::chrono::seconds(10));
  CHECK_FALSE(gate->ended);
  gate->open();
  while (!gate->ended) std::this_thread::yield();
}

TEST_CASE("a background may be destroyed by what it tells, also with jobs that wait") {
  Loop loop;
  auto background = std::make_unique<Background>(loop);
  int told = 0;
  for (int i = 0; i < 3; ++i) {
    background->submit(job([] {},
                           [&] {
                             ++told;
                             background.reset();
                           }));
  }
  loop.run();
  CHECK(told == 1);
}
