// How a Pty ends: exit, end of the terminal, and destruction, in every order.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <functional>
#include <memory>
#include <string>

#include "loop/loop.h"
#include "loop/signal_watch.h"
#include "loop/timer.h"
#include "pty/containment.h"
#include "pty/pty.h"
#include "recorder.h"

using orch::loop::Loop;
using orch::loop::SignalWatch;
using orch::loop::Timer;
using orch::pty::become_subreaper;
using orch::pty::ExitStatus;
using orch::pty::Gate;
using orch::pty::number_after;
using orch::pty::Observer;
using orch::pty::Pty;
using orch::pty::reap_adopted;
using orch::pty::Recorder;
using orch::pty::shell;
using orch::pty::SpawnPlan;
using orch::pty::StopStep;
using orch::pty::wait_for_zombie;

namespace {

std::unique_ptr<Pty> spawned(Loop& loop, const SpawnPlan& plan, Observer& observer) {
  auto pty = Pty::spawn(loop, plan, observer);
  REQUIRE(pty);
  return std::move(pty).value();
}

// Runs a function of the test at the first output, or at the end.
class Reaction final : public Observer {
 public:
  void on_output(std::string_view bytes) override {
    if (output) output(bytes);
  }
  void on_end(ExitStatus status) override {
    if (end) end(status);
  }
  std::function<void(std::string_view)> output;
  std::function<void(ExitStatus)> end;
};

}  // namespace

TEST_CASE("what was written before the exit is told before the end") {
  Loop loop;
  Recorder recorder(loop);
  const auto pty = spawned(loop, shell("stty raw; head -c 8000 /dev/zero; exit 3"), recorder);
  wait_for_zombie(pty->pid());
  CHECK(recorder.output.empty());
  CHECK(recorder.wait_for_end() == ExitStatus{3, 0});
  CHECK(recorder.output == std::string(8000, '\0'));
}

TEST_CASE("while reading is paused the end waits for the output") {
  Loop loop;
  Recorder recorder(loop);
  const auto pty = spawned(loop, shell("echo the last words; exit 3"), recorder);
  pty->pause_reading();
  wait_for_zombie(pty->pid());
  Timer some_turns(loop);
  some_turns.start(50, [&] { loop.stop(); });
  loop.run();
  CHECK(pty->pid() == 0);
  CHECK_FALSE(recorder.end);
  pty->resume_reading();
  CHECK(recorder.wait_for_end() == ExitStatus{3, 0});
  CHECK(recorder.output == "the last words\r\n");
}

TEST_CASE("a process left behind that keeps the terminal delays the end by 2 s, not for ever") {
  REQUIRE(become_subreaper());
  Loop loop;
  Recorder recorder(loop);
  const auto pty =
      spawned(loop,
              shell("(trap '' HUP; echo left $(exec sh -c 'echo $PPID'); exec sleep 1000) & "
                    "read x; exit 5"),
              recorder);
  REQUIRE(recorder.wait_for("left"));
  pty->write("\r");
  wait_for_zombie(pty->pid());
  const int64_t ended = loop.now_ms();
  CHECK(recorder.wait_for_end() == ExitStatus{5, 0});
  CHECK(loop.now_ms() - ended >= 2000);
  CHECK(loop.now_ms() - ended < 6000);
  const pid_t left = number_after(recorder.output, "left ");
  REQUIRE(::kill(left, SIGKILL) == 0);
  CHECK(reap_adopted(left) == SIGKILL);
}

TEST_CASE("a child may close its terminal, live on and open it again") {
  Gate gate;
  Loop loop;
  SignalWatch closed(loop, SIGUSR1, [&](int) { gate.open(); });
  Recorder recorder(loop);
  const auto pty = spawned(loop,
                           shell("exec < /dev/null > /dev/null 2>&1; kill -USR1 $PPID; read x < " +
                                 gate.path() + "; echo back > /dev/tty; exit 7"),
                           recorder);
  CHECK(recorder.wait_for_end() == ExitStatus{7, 0});
  CHECK(recorder.output == "back\r\n");
}

TEST_CASE("output may destroy the pty, which kills the child") {
  Loop loop;
  Reaction reaction;
  auto pty = spawned(loop, shell("echo a; exec sleep 1000"), reaction);
  const pid_t pid = pty->pid();
  std::string seen;
  reaction.output = [&](std::string_view bytes) {
    pty.reset();
    seen += bytes;
  };
  reaction.end = [](ExitStatus) { FAIL("the end of a destroyed pty was told"); };
  loop.run();
  CHECK(seen == "a\r\n");
  // What was killed takes a busy machine a moment to end: then the loop reaps it later.
  int looks = 0;
  Timer timer(loop);
  const std::function<void()> look = [&] {
    if (::kill(pid, 0) == 0 && ++looks < 1'000) timer.start(10, look);
  };
  look();
  loop.run();
  CHECK(::kill(pid, 0) == -1);
  CHECK(errno == ESRCH);
}

TEST_CASE("the end may destroy the pty") {
  Loop loop;
  Reaction reaction;
  auto pty = spawned(loop, shell("exit 6"), reaction);
  int code = -1;
  reaction.end = [&](ExitStatus status) {
    pty.reset();
    code = status.code;
  };
  loop.run();
  CHECK(code == 6);
}

TEST_CASE("the end at the drain deadline may destroy the pty") {
  REQUIRE(become_subreaper());
  Loop loop;
  Reaction reaction;
  std::string output;
  auto pty = spawned(
      loop, shell("(trap '' HUP; echo $(exec sh -c 'echo $PPID'); exec sleep 1000) & read x"),
      reaction);
  reaction.output = [&](std::string_view bytes) {
    output += bytes;
    if (output.ends_with('\n')) pty->write("\x04");
  };
  reaction.end = [&](ExitStatus) { pty.reset(); };
  loop.run();
  CHECK(pty == nullptr);
  const pid_t left = std::stoi(output);
  REQUIRE(::kill(left, SIGKILL) == 0);
  CHECK(reap_adopted(left) == SIGKILL);
}

TEST_CASE("after the end nothing that is asked of a pty does harm") {
  Loop loop;
  Recorder recorder(loop);
  const auto pty = spawned(loop, shell("exit 0"), recorder);
  recorder.wait_for_end();
  pty->write("too late");
  pty->resize(80, 24);
  pty->pause_reading();
  pty->resume_reading();
  pty->signal_group(SIGTERM);
  pty->stop("q", 1000);
  CHECK(pty->queued_bytes() == 0);
  CHECK(pty->stop_step() == StopStep::kNone);
  loop.run();
  CHECK(recorder.end == ExitStatus{0, 0});
}
