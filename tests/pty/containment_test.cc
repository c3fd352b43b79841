#include "pty/containment.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <memory>
#include <string>

#include "loop/loop.h"
#include "pty/pty.h"
#include "recorder.h"

using orch::loop::Loop;
using orch::pty::become_subreaper;
using orch::pty::ExitStatus;
using orch::pty::kill_marked;
using orch::pty::number_after;
using orch::pty::Pty;
using orch::pty::reap_adopted;
using orch::pty::reap_orphans;
using orch::pty::Recorder;
using orch::pty::shell;
using orch::pty::SpawnPlan;
using orch::pty::wait_for_zombie;

namespace {

SpawnPlan marked_shell(const std::string& run, const std::string& script) {
  SpawnPlan plan = shell(script);
  plan.env.push_back("ORCH_RUN=" + run);
  return plan;
}

}  // namespace

TEST_CASE("a helper that left the session is found by its run's mark, and by no other") {
  REQUIRE(become_subreaper());
  const std::string run = "run-" + std::to_string(::getpid());
  Loop loop;
  Recorder recorder(loop);
  auto pty =
      Pty::spawn(loop,
                 marked_shell(run,
                              "setsid sh -c 'trap \"\" HUP TERM; echo left $$.; exec sleep 1000' & "
                              "read x"),
                 recorder);
  REQUIRE(pty);
  REQUIRE(recorder.wait_for("."));
  const pid_t left = number_after(recorder.output, "left ");
  pty->reset();
  CHECK(::getpgid(left) == left);  // the group's end did not reach it

  CHECK(kill_marked(run + "0", SIGKILL) == 0);
  CHECK(kill_marked(run.substr(0, run.size() - 1), SIGKILL) == 0);
  CHECK(kill_marked(run, 0) == 1);
  CHECK(kill_marked(run, SIGKILL) == 1);
  CHECK(reap_adopted(left) == SIGKILL);
  CHECK(kill_marked(run, SIGKILL) == 0);
}

TEST_CASE("every process of a run, in the middle of exec or not, is signalled once") {
  REQUIRE(become_subreaper());
  const std::string run = "tree-" + std::to_string(::getpid());
  Loop loop;
  Recorder recorder(loop);
  auto pty = Pty::spawn(
      loop,
      marked_shell(run,
                   "trap '' HUP; sleep 1000 & echo one $!; sleep 1000 & echo two $! ready; "
                   "exec sleep 1000"),
      recorder);
  REQUIRE(pty);
  REQUIRE(recorder.wait_for("ready"));
  CHECK(kill_marked(run, SIGKILL) == 3);
  CHECK(recorder.wait_for_end() == ExitStatus{0, SIGKILL});
  CHECK(reap_adopted(number_after(recorder.output, "one ")) == SIGKILL);
  CHECK(reap_adopted(number_after(recorder.output, "two ")) == SIGKILL);
}

TEST_CASE("orphans are reaped, watched children are left to their owner") {
  REQUIRE(become_subreaper());
  Loop loop;
  Recorder recorder(loop);
  auto pty = Pty::spawn(loop, shell("(sleep 1000 & echo orphan $!); echo left.; read x; exit 3"),
                        recorder);
  REQUIRE(pty);
  REQUIRE(recorder.wait_for("left."));
  const pid_t orphan = number_after(recorder.output, "orphan ");
  CHECK(reap_orphans(loop) == 0);  // it lives
  REQUIRE(::kill(orphan, SIGKILL) == 0);
  wait_for_zombie(orphan);
  (*pty)->write("\r");
  wait_for_zombie((*pty)->pid());
  CHECK(reap_orphans(loop) == 1);
  CHECK(reap_orphans(loop) == 0);
  CHECK(recorder.wait_for_end() == ExitStatus{3, 0});
}
