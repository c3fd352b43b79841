// The stop ladder on real processes.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <memory>
#include <string>

#include "loop/loop.h"
#include "pty/containment.h"
#include "pty/pty.h"
#include "recorder.h"
#include "tracer.h"

using orch::loop::Loop;
using orch::pty::become_subreaper;
using orch::pty::ExitStatus;
using orch::pty::number_after;
using orch::pty::Pty;
using orch::pty::reap_adopted;
using orch::pty::Recorder;
using orch::pty::shell;
using orch::pty::StopStep;
using orch::tests::Tracer;

namespace {

constexpr int64_t kNever = 600'000;

// A child that has printed "ready".
struct Started {
  explicit Started(const std::string& script) : recorder(loop) {
    auto spawned = Pty::spawn(loop, shell(script), recorder);
    REQUIRE(spawned);
    pty = std::move(spawned).value();
    REQUIRE(recorder.wait_for("ready"));
  }
  Loop loop;
  Recorder recorder;
  std::unique_ptr<Pty> pty;
};

}  // namespace

TEST_CASE("a child that quits on its own keys is sent no signal") {
  Started child("trap 'exit 99' TERM; echo ready; read x; exit 9");
  child.pty->stop("q\r", kNever);
  CHECK(child.recorder.wait_for_end() == ExitStatus{9, 0});
  CHECK(child.pty->stop_step() == StopStep::kQuitKeys);
}

TEST_CASE("a child that knows no such keys is terminated when their time is over") {
  Started child("stty -echo; echo ready; exec sleep 1000");
  child.pty->stop("q\r", 20, kNever);
  CHECK(child.recorder.wait_for_end() == ExitStatus{0, SIGTERM});
  CHECK(child.pty->stop_step() == StopStep::kTerminate);
}

TEST_CASE("without keys the ladder begins with SIGTERM, for the whole group") {
  REQUIRE(become_subreaper());
  Started child("trap 'exit 11' TERM; sleep 1000 & echo helper $! ready; wait");
  child.pty->stop("", kNever, kNever);
  CHECK(child.recorder.wait_for_end() == ExitStatus{11, 0});
  const pid_t helper = number_after(child.recorder.output, "helper ");
  const bool gone = ::waitpid(helper, nullptr, 0) == helper || errno == ECHILD;
  CHECK(gone);  // reaped by the shell before its own end, or by us afterwards
}

TEST_CASE("a child that ignores SIGTERM is killed when its time is over") {
  Started child("trap '' TERM; echo ready; exec sleep 1000");
  child.pty->stop("", 0, 20);
  CHECK(child.recorder.wait_for_end() == ExitStatus{0, SIGKILL});
  CHECK(child.pty->stop_step() == StopStep::kKill);
}

TEST_CASE("asked a second time, stop kills at once") {
  Started child("trap '' TERM; echo ready; exec sleep 1000");
  child.pty->stop("", 0, kNever);
  child.pty->stop("", 0, kNever);
  CHECK(child.recorder.wait_for_end() == ExitStatus{0, SIGKILL});
}

TEST_CASE("a suspended child can be terminated") {
  Started child("echo ready; kill -STOP $$; exec sleep 1000");
  child.pty->stop("", 0, kNever);
  CHECK(child.recorder.wait_for_end() == ExitStatus{0, SIGTERM});
}

TEST_CASE("a stop leaves none of the session's jobs, though they have groups of their own") {
  REQUIRE(become_subreaper());
  Started child("set -m; (trap '' TERM HUP; echo ready; exec sleep 1000) & echo job $!.; read x");
  REQUIRE(child.recorder.wait_for("."));
  const pid_t job = number_after(child.recorder.output, "job ");
  REQUIRE(::getpgid(job) == job);
  child.pty->stop("", 0, kNever);
  CHECK(child.recorder.wait_for_end().signal == SIGTERM);
  CHECK(reap_adopted(job) == SIGKILL);
}

TEST_CASE("destroying the pty kills the session's jobs too") {
  REQUIRE(become_subreaper());
  Started child("set -m; (trap '' TERM HUP; exec sleep 1000) & echo job $! ready; read x");
  const pid_t job = number_after(child.recorder.output, "job ");
  child.pty.reset();
  CHECK(reap_adopted(job) == SIGKILL);
}

TEST_CASE("signal_group reaches every process of the session") {
  REQUIRE(become_subreaper());
  Started child("set -m; sleep 1000 & echo job $! ready; exec sleep 1000");
  const pid_t job = number_after(child.recorder.output, "job ");
  child.pty->signal_group(SIGUSR1);
  CHECK(child.recorder.wait_for_end() == ExitStatus{0, SIGUSR1});
  CHECK(reap_adopted(job) == SIGUSR1);
}

TEST_CASE("a child that SIGKILL does not end is left, and told by its pid") {
  auto child = std::make_unique<Started>("echo ready; exec sleep 1000");
  const pid_t pid = child->pty->pid();
  const Tracer tracer(pid);
  REQUIRE(tracer.traces());
  const int64_t before = child->loop.now_ms();
  child->pty->stop("", 0, 0);
  child->pty->stop("", 0, 0);
  CHECK(child->recorder.wait_for_end() == ExitStatus{.left = pid});
  CHECK(child->loop.now_ms() - before >= orch::pty::StopTimes{}.kill_ms);
  CHECK(child->pty->pid() == 0);
}

TEST_CASE("a child that SIGKILL does not end holds no destructor up") {
  Started child("echo ready; exec sleep 1000");
  const Tracer tracer(child.pty->pid());
  REQUIRE(tracer.traces());
  const int64_t before = child.loop.now_ms();
  child.pty.reset();
  CHECK(child.loop.now_ms() - before < 2'000);
}
