#include "pty/process.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "loop/loop.h"
#include "loop/timer.h"
#include "recorder.h"

using orch::loop::Loop;
using orch::loop::Timer;
using orch::pty::ErrorOutput;
using orch::pty::ExitStatus;
using orch::pty::plain_env;
using orch::pty::Process;
using orch::pty::ProcessObserver;
using orch::pty::ProcessPlan;
using orch::pty::wait_for_zombie;

namespace {

class Capture final : public ProcessObserver {
 public:
  explicit Capture(Loop& loop) : loop_(loop) {}
  void on_output(std::string_view bytes) override {
    output += bytes;
    if (on_first_output) on_first_output();
  }
  void on_error_output(std::string_view bytes) override { errors += bytes; }
  void on_end(ExitStatus status) override {
    REQUIRE_FALSE(end);
    end = status;
  }
  ExitStatus wait_for_end() {
    Timer guard(loop_);
    guard.start(20'000, [this] { loop_.stop(); });
    Timer turns(loop_);
    std::function<void()> look = [&] { end ? loop_.stop() : turns.start(1, look); };
    look();
    loop_.run();
    REQUIRE(end);
    return *end;
  }

  std::string output, errors;
  std::optional<ExitStatus> end;
  std::function<void()> on_first_output;

 private:
  Loop& loop_;
};

ProcessPlan command(std::string script, std::string input = {}) {
  ProcessPlan plan;
  plan.argv = {"sh", "-c", std::move(script)};
  plan.env = plain_env();
  plan.input = std::move(input);
  return plan;
}

std::unique_ptr<Process> started(Loop& loop, ProcessPlan plan, ProcessObserver& observer) {
  auto process = Process::spawn(loop, std::move(plan), observer);
  REQUIRE(process);
  return std::move(process).value();
}

}  // namespace

TEST_CASE("output and error output are told apart, with the exit code") {
  Loop loop;
  Capture capture(loop);
  const auto process = started(loop, command("echo out; echo err >&2; exit 12"), capture);
  CHECK(capture.wait_for_end() == ExitStatus{12, 0});
  CHECK(capture.output == "out\n");
  CHECK(capture.errors == "err\n");
  CHECK(process->pid() == 0);
}

TEST_CASE("merged error output keeps the order of writing") {
  Loop loop;
  Capture capture(loop);
  ProcessPlan plan = command("echo 1; echo 2 >&2; echo 3");
  plan.error_output = ErrorOutput::kMerged;
  const auto process = started(loop, plan, capture);
  CHECK(capture.wait_for_end() == ExitStatus{0, 0});
  CHECK(capture.output == "1\n2\n3\n");
  CHECK(capture.errors.empty());
}

TEST_CASE("a megabyte of input comes back whole") {
  Loop loop;
  Capture capture(loop);
  std::string input;
  for (int n = 0; input.size() < (1 << 20); ++n) input += std::to_string(n) + "\n";
  const auto process = started(loop, command("exec cat", input), capture);
  CHECK(capture.wait_for_end() == ExitStatus{0, 0});
  CHECK(capture.output == input);
}

TEST_CASE("input that the child does not read is no error") {
  Loop loop;
  Capture capture(loop);
  const auto process = started(loop, command("exec true", std::string(1 << 20, 'x')), capture);
  CHECK(capture.wait_for_end() == ExitStatus{0, 0});
}

TEST_CASE("a child without input reads its end") {
  Loop loop;
  Capture capture(loop);
  const auto process = started(loop, command("wc -c; test -t 1 || echo no terminal"), capture);
  capture.wait_for_end();
  CHECK(capture.output == "0\nno terminal\n");
}

TEST_CASE("a process on pipes has no other descriptor and no controlling terminal") {
  Loop loop;
  Capture capture(loop);
  const auto process =
      started(loop, command("ls /proc/self/fd | tr '\\n' ' '; : > /dev/tty || echo none"), capture);
  capture.wait_for_end();
  CHECK(capture.output.starts_with("0 1 2 3 "));
  CHECK_FALSE(capture.errors.empty());
}

TEST_CASE("a process that cannot be spawned is an error, as on a pty") {
  Loop loop;
  Capture capture(loop);
  ProcessPlan plan = command("");
  plan.argv = {"no-such-tool"};
  const auto process = Process::spawn(loop, plan, capture);
  REQUIRE_FALSE(process);
  CHECK(process.error().code == orch::base::ErrorCode::kNotFound);
}

TEST_CASE("stop climbs the ladder") {
  Loop loop;
  Capture capture(loop);
  const auto process = started(loop, command("trap '' TERM; echo ready; exec sleep 1000"), capture);
  capture.on_first_output = [&] { process->stop(20); };
  CHECK(capture.wait_for_end() == ExitStatus{0, SIGKILL});
}

TEST_CASE("a paused process tells neither output nor end until it is resumed") {
  Loop loop;
  Capture capture(loop);
  const auto process = started(loop, command("echo words; exit 2"), capture);
  process->pause_reading();
  wait_for_zombie(process->pid());
  Timer some_turns(loop);
  some_turns.start(20, [&] { loop.stop(); });
  loop.run();
  CHECK(process->pid() == 0);
  CHECK(capture.output.empty());
  CHECK_FALSE(capture.end);
  process->resume_reading();
  CHECK(capture.wait_for_end() == ExitStatus{2, 0});
  CHECK(capture.output == "words\n");
}

TEST_CASE("output may destroy the process") {
  Loop loop;
  Capture capture(loop);
  auto process = started(loop, command("echo a; exec sleep 1000"), capture);
  capture.on_first_output = [&] { process.reset(); };
  loop.run();
  CHECK(capture.output == "a\n");
  CHECK_FALSE(capture.end);
}
