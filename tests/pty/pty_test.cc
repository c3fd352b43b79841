#include "pty/pty.h"

#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <memory>
#include <string>

#include "loop/loop.h"
#include "loop/timer.h"
#include "recorder.h"

using orch::loop::Loop;
using orch::loop::Timer;
using orch::pty::ExitStatus;
using orch::pty::Gate;
using orch::pty::Observer;
using orch::pty::Pty;
using orch::pty::Recorder;
using orch::pty::shell;
using orch::pty::SpawnPlan;

namespace {

std::unique_ptr<Pty> spawned(Loop& loop, const SpawnPlan& plan, Observer& observer) {
  auto pty = Pty::spawn(loop, plan, observer);
  REQUIRE(pty);
  return std::move(pty).value();
}

// Bytes that a raw terminal does not change, and in which a lost or moved block is found.
std::string numbered_bytes(size_t size) {
  std::string bytes;
  for (int n = 0; bytes.size() < size; ++n) bytes += std::to_string(n) + ",";
  bytes.resize(size);
  return bytes;
}

}  // namespace

TEST_CASE("what is typed reaches the child and what it writes comes back") {
  Loop loop;
  Recorder recorder(loop);
  SpawnPlan plan = shell("exec cat");
  const auto pty = spawned(loop, plan, recorder);
  CHECK(pty->pid() > 0);
  pty->write("hello\r");
  REQUIRE(recorder.wait_for("hello\r\nhello\r\n"));
  pty->write("\x04");
  CHECK(recorder.wait_for_end() == ExitStatus{0, 0});
  CHECK(pty->pid() == 0);
}

TEST_CASE("exit codes and deaths of signals are told") {
  Loop loop;
  Recorder exits(loop);
  const auto one = spawned(loop, shell("exit 42"), exits);
  CHECK(exits.wait_for_end() == ExitStatus{42, 0});
  Recorder dies(loop);
  const auto two = spawned(loop, shell("kill -SEGV $$"), dies);
  CHECK(dies.wait_for_end() == ExitStatus{0, SIGSEGV});
}

TEST_CASE("a parent that ignored SIGCHLD for us does not lose exit codes") {
  std::signal(SIGCHLD, SIG_IGN);
  Loop loop;
  Recorder recorder(loop);
  const auto pty = spawned(loop, shell("exit 3"), recorder);
  CHECK(recorder.wait_for_end() == ExitStatus{3, 0});
}

TEST_CASE("the child sees the size it was given, and every new one") {
  Loop loop;
  Recorder recorder(loop);
  SpawnPlan plan = shell("stty size; read x; stty size");
  plan.cols = 100;
  plan.rows = 30;
  const auto pty = spawned(loop, plan, recorder);
  REQUIRE(recorder.wait_for("30 100\r\n"));
  pty->resize(81, 25);
  pty->write("\r");
  CHECK(recorder.wait_for_end() == ExitStatus{0, 0});
  CHECK(recorder.output.find("25 81\r\n") != std::string::npos);
}

TEST_CASE("the terminal erases whole UTF-8 characters") {
  Loop loop;
  Recorder recorder(loop);
  const auto pty = spawned(loop, shell("stty -a"), recorder);
  recorder.wait_for_end();
  CHECK(recorder.output.find(" iutf8") != std::string::npos);
}

TEST_CASE("a megabyte typed at a program that reads late and slowly arrives whole and in order") {
  constexpr size_t kBytes = 1 << 20;
  Gate gate;
  Loop loop;
  Recorder recorder(loop);
  const std::string script = "stty raw -echo; printf ready; read go < " + gate.path() +
                             "; printf go; head -c " + std::to_string(kBytes) +
                             " | dd bs=700 2> /dev/null";
  const auto pty = spawned(loop, shell(script), recorder);
  REQUIRE(recorder.wait_for("ready"));
  const std::string sent = numbered_bytes(kBytes);
  pty->write(sent.substr(0, kBytes / 2));
  for (size_t at = kBytes / 2; at < kBytes; at += 4096) pty->write(sent.substr(at, 4096));
  CHECK(pty->queued_bytes() > kBytes / 2);
  gate.open();
  CHECK(recorder.wait_for_end() == ExitStatus{0, 0});
  // Compared as a whole, so that no byte can be lost, doubled or moved.
  CHECK(recorder.output == "readygo" + sent);
}

TEST_CASE("canonical tells whether the program has taken over the keyboard") {
  Loop loop;
  Recorder recorder(loop);
  const auto pty =
      spawned(loop, shell("echo lines; read x; stty raw -echo; printf keys; read y"), recorder);
  REQUIRE(recorder.wait_for("lines"));
  CHECK(pty->canonical());
  pty->write("\r");
  REQUIRE(recorder.wait_for("keys"));
  CHECK_FALSE(pty->canonical());
  pty->write("\n");
  recorder.wait_for_end();
}

TEST_CASE("a terminal that is not read holds its child back and loses nothing") {
  constexpr size_t kBytes = 300'000;
  Loop loop;
  Recorder recorder(loop);
  const auto pty = spawned(
      loop, shell("stty raw; head -c " + std::to_string(kBytes) + " /dev/zero; exit 4"), recorder);
  pty->pause_reading();
  Timer some_turns(loop);
  some_turns.start(50, [&] { loop.stop(); });
  loop.run();
  CHECK(recorder.output.empty());
  CHECK(::waitpid(pty->pid(), nullptr, WNOHANG) == 0);  // it is still writing
  pty->resume_reading();
  CHECK(recorder.wait_for_end() == ExitStatus{4, 0});
  CHECK(recorder.output == std::string(kBytes, '\0'));
}

TEST_CASE("two children are served at the same time") {
  Loop loop;
  Recorder first(loop);
  Recorder second(loop);
  const auto one = spawned(loop, shell("read x; echo one $x"), first);
  const auto two = spawned(loop, shell("read x; echo two $x"), second);
  two->write("2\r");
  CHECK(second.wait_for_end() == ExitStatus{0, 0});
  CHECK_FALSE(first.end);
  one->write("1\r");
  CHECK(first.wait_for_end() == ExitStatus{0, 0});
  CHECK(first.output.find("one 1") != std::string::npos);
  CHECK(second.output.find("two 2") != std::string::npos);
}
