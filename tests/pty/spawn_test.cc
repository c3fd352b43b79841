#include "pty/spawn.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "cpu_time.h"
#include "loop/loop.h"
#include "pty/pty.h"
#include "recorder.h"

using orch::base::Error;
using orch::base::ErrorCode;
using orch::base::Fd;
using orch::loop::Loop;
using orch::pty::errno_text;
using orch::pty::ExitStatus;
using orch::pty::Gate;
using orch::pty::plain_env;
using orch::pty::Pty;
using orch::pty::Recorder;
using orch::pty::shell;
using orch::pty::SpawnPlan;

namespace {

Error failure_of(const SpawnPlan& plan) {
  Loop loop;
  Recorder recorder(loop);
  auto pty = Pty::spawn(loop, plan, recorder);
  REQUIRE_FALSE(pty);
  errno = 0;
  CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
  CHECK(errno == ECHILD);  // a failed spawn leaves no child
  return pty.error();
}

Error failure_of(std::vector<std::string> argv) {
  SpawnPlan plan;
  plan.argv = std::move(argv);
  plan.env = plain_env();
  return failure_of(plan);
}

std::string output_of(const SpawnPlan& plan) {
  Loop loop;
  Recorder recorder(loop);
  auto pty = Pty::spawn(loop, plan, recorder);
  REQUIRE(pty);
  CHECK(recorder.wait_for_end() == ExitStatus{0, 0});
  return recorder.output;
}

// The time of the fastest of many spawns, in microseconds.
int64_t spawn_time_us() {
  int64_t best = std::numeric_limits<int64_t>::max();
  for (int i = 0; i < 40; ++i) {
    Loop loop;
    Recorder recorder(loop);
    SpawnPlan plan;
    plan.argv = {"true"};
    plan.env = plain_env();
    const auto before = orch::cpu_time();
    auto pty = Pty::spawn(loop, plan, recorder);
    const auto after = orch::cpu_time();
    REQUIRE(pty);
    best = std::min<int64_t>(
        best, std::chrono::duration_cast<std::chrono::microseconds>(after - before).count());
    recorder.wait_for_end();
  }
  return best;
}

}  // namespace

TEST_CASE("what cannot be spawned is told in one line with its kind") {
  CHECK(failure_of({"no-such-agent"}).text == "spawn no-such-agent: " + errno_text(ENOENT));
  CHECK(failure_of({"no-such-agent"}).code == ErrorCode::kNotFound);
  CHECK(failure_of({"/etc/passwd"}).text == "spawn /etc/passwd: " + errno_text(EACCES));
  CHECK(failure_of({"/etc/passwd"}).code == ErrorCode::kNotExecutable);
  CHECK(failure_of(std::vector<std::string>{}).code == ErrorCode::kUsage);
  CHECK(failure_of({""}).code == ErrorCode::kUsage);
  CHECK(failure_of({"true", std::string("a\0b", 3)}).code == ErrorCode::kUsage);
  CHECK(failure_of({"true", std::string(4 << 20, 'x')}).text == "spawn true: " + errno_text(E2BIG));
}

TEST_CASE("a working directory that is none is the user's error") {
  SpawnPlan plan = shell("true");
  plan.cwd = "/no/such/place";
  CHECK(failure_of(plan).code == ErrorCode::kUsage);
  CHECK(failure_of(plan).text == "spawn sh: chdir /no/such/place: " + errno_text(ENOENT));
  plan.cwd = "/etc/passwd";
  CHECK(failure_of(plan).text == "spawn sh: chdir /etc/passwd: " + errno_text(ENOTDIR));
}

TEST_CASE("a script whose interpreter is missing, or that names none, does not start") {
  const Gate folder;  // only for its directory
  const std::string script = folder.path() + "-script";
  std::ofstream(script) << "#!/no/such/node\n";
  ::chmod(script.c_str(), 0755);
  CHECK(failure_of({script}).code == ErrorCode::kNotFound);
  CHECK(failure_of({script}).text ==
        "spawn " + script + ": interpreter /no/such/node: " + errno_text(ENOENT));
  std::ofstream(script) << "echo never a shell\n";
  CHECK(failure_of({script}).code == ErrorCode::kNotExecutable);
  CHECK(failure_of({script}).text == "spawn " + script + ": " + errno_text(ENOEXEC));
}

TEST_CASE("the program and its working directory are those of the plan, not ours") {
  SpawnPlan plan = shell("pwd; echo $0 $MARK");
  plan.argv.push_back("zero");
  plan.cwd = "/usr/bin";
  plan.env = {"PATH=/nowhere:../../bin:/bin", "MARK=of the plan", "PWD=/usr/bin"};
  CHECK(output_of(plan) == "/usr/bin\r\nzero of the plan\r\n");
}

TEST_CASE("the child has its terminal and no other descriptor of ours") {
  const Fd stray(::open("/dev/null", O_RDONLY));  // not close-on-exec
  const Fd high_stray(::fcntl(stray.get(), F_DUPFD, 200));
  REQUIRE(high_stray.valid());
  // 3 is ls's own descriptor.
  CHECK(output_of(shell("ls /proc/self/fd | tr '\\n' ' '")) == "0 1 2 3 ");
  CHECK(output_of(shell("test -t 0 && test -t 1 && test -t 2 && echo terminals")) ==
        "terminals\r\n");
}

TEST_CASE("a spawn works when our own standard input is closed") {
  Loop loop;
  Recorder recorder(loop);
  SpawnPlan plan = shell("test -t 0 && test -t 1 && test -t 2 && pwd");
  plan.cwd = "/usr";
  const Fd kept(::fcntl(0, F_DUPFD_CLOEXEC, 10));
  ::close(0);
  auto pty = Pty::spawn(loop, plan, recorder);
  REQUIRE(pty);
  CHECK(::fcntl(0, F_GETFD) >= 0);  // the pty has taken the free descriptor
  CHECK(recorder.wait_for_end() == ExitStatus{0, 0});
  CHECK(recorder.output == "/usr\r\n");
  pty->reset();
  ::dup2(kept.get(), 0);
}

TEST_CASE("the child starts with no signal blocked or ignored") {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto ignored_before = std::signal(SIGHUP, SIG_IGN);
  SpawnPlan plan;
  plan.argv = {"grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"};
  plan.env = plain_env();
  const std::string output = output_of(plan);
  sigset_t now;
  ::pthread_sigmask(SIG_SETMASK, &before, &now);
  std::signal(SIGHUP, ignored_before);
  CHECK(output == "SigBlk:\t0000000000000000\r\nSigIgn:\t0000000000000000\r\n");
  CHECK(sigismember(&now, SIGUSR1) == 1);  // our own signal mask is unchanged
}

TEST_CASE("the child leads a session and is the foreground of its own terminal") {
  SpawnPlan plan;
  plan.argv = {"cut", "-d", " ", "-f", "1,5,6,8", "/proc/self/stat"};  // pid pgrp session tpgid
  plan.env = plain_env();
  const std::string output = output_of(plan);
  const pid_t pid = std::stoi(output);
  const std::string n = std::to_string(pid);
  CHECK(output == n + " " + n + " " + n + " " + n + "\r\n");
  CHECK(output_of(shell("echo through the terminal > /dev/tty")) == "through the terminal\r\n");
}

TEST_CASE("a spawn takes no longer when we are large") {
  const int64_t small_us = spawn_time_us();
  constexpr size_t kBytes = 256 << 20;
  const std::vector<char> resident(kBytes, 'x');
  const int64_t large_us = spawn_time_us();
  REQUIRE(resident[kBytes / 2] == 'x');
  std::printf("spawn on a pty: %lld us, with 256 MB resident: %lld us\n",
              static_cast<long long>(small_us), static_cast<long long>(large_us));
  CHECK(large_us < 2 * small_us + 5000);  // fork() alone would take 17 to 45 ms longer
}
