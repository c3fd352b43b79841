#include "pty/cgroup.h"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <string>

#include "loop/loop.h"
#include "pty/containment.h"
#include "pty/pty.h"
#include "recorder.h"

using namespace orch::pty;
using orch::loop::Loop;

namespace {

std::string run_id() { return "cgroup-test-" + std::to_string(::getpid()); }

bool exists(const std::string& run) {
  return std::filesystem::exists(own_cgroup() + "/" + run + ".orch");
}

// Where groups may not be made there is nothing to test but that nothing fails.
std::unique_ptr<Cgroup> make_group(const std::string& run) {
  auto group = Cgroup::create(own_cgroup(), run);
  if (!group) WARN("control groups cannot be made here");
  return group;
}

}  // namespace

TEST_CASE("without a place for groups there is no group") {
  CHECK(Cgroup::create("", "run") == nullptr);
  CHECK(Cgroup::create("/nonexistent", "run") == nullptr);
  CHECK(Cgroup::find(own_cgroup(), "no-such-run") == nullptr);
}

TEST_CASE("a group goes when it is empty, and is made once") {
  const std::string run = run_id();
  auto group = make_group(run);
  if (!group) return;
  CHECK(exists(run));
  CHECK(Cgroup::create(own_cgroup(), run) == nullptr);
  CHECK(group->processes().empty());
  group.reset();
  CHECK_FALSE(exists(run));
}

TEST_CASE("nothing but its end takes a process out of its group") {
  REQUIRE(become_subreaper());
  const std::string run = run_id();
  auto group = make_group(run);
  if (!group) return;
  Loop loop;
  Recorder recorder(loop);
  auto containment = std::make_unique<Containment>(run, std::move(group));
  SpawnPlan plan = shell(
      "(env -i setsid /bin/sh -c 'trap \"\" HUP; echo stray $$.; exec /bin/sleep 1000 >&- 2>&- "
      "<&-' &); read x");
  plan.run = containment.get();
  auto pty = Pty::spawn(loop, plan, recorder);
  REQUIRE(pty);
  REQUIRE(recorder.wait_for("."));
  const pid_t stray = number_after(recorder.output, "stray ");
  (*pty)->write("\r");
  CHECK(recorder.wait_for_end() == ExitStatus{0, 0});

  CHECK(Cgroup::find(own_cgroup(), run)->processes() == std::vector<pid_t>{stray});
  CHECK(exists(run));  // who found it did not remove it while somebody lives there
  CHECK(containment->kill() == 1);
  CHECK(reap_adopted(stray) == SIGKILL);
  containment.reset();
  CHECK_FALSE(exists(run));
}
