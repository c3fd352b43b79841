#include "pty/cgroup.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "loop/child_watch.h"
#include "loop/loop.h"
#include "loop/timer.h"
#include "pty/cgroup_removal.h"
#include "pty/containment.h"
#include "pty/pty.h"
#include "recorder.h"
#include "skipped.h"

using namespace orch::pty;
using orch::loop::Loop;

namespace {

std::string run_id() { return "cgroup-test-" + std::to_string(::getpid()); }

bool exists(const std::string& run) {
  return std::filesystem::exists(own_cgroup() + "/" + run + ".orch");
}

// Makes a group; if groups cannot be made here, a test can only check that nothing fails.
std::unique_ptr<Cgroup> make_group(const std::string& run) {
  auto group = Cgroup::create(own_cgroup(), run);
  if (!group) orch::say_skipped("control groups cannot be made here");
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
  CHECK(exists(run));  // Cgroup::find() does not remove it while a process is in it
  CHECK(containment->kill() == 1);
  CHECK(reap_adopted(stray) == SIGKILL);
  containment.reset();
  CHECK_FALSE(exists(run));
}

TEST_CASE("a group in which somebody still lives goes when he has left, and holds nobody up") {
  const std::string run = run_id();
  auto group = make_group(run);
  if (!group) return;
  Loop loop;
  const ChildStdio stdio{ChildStdio::Kind::kPipes, {0, 1, 2}};
  const auto pid =
      spawn_child({"/bin/sleep", "1000"}, "/", plain_env(), stdio, group->entrance().get());
  REQUIRE(pid);
  orch::loop::ChildWatch watch(loop, *pid, [&] { ::waitpid(*pid, nullptr, 0); });
  CgroupRemoval removal(loop);
  bool gone = false;
  removal.remove(group->leave(), [&] { gone = true; });
  group.reset();
  CHECK_FALSE(gone);
  orch::loop::Timer later(loop);
  later.start(100, [&] {  // far longer than anybody would block for it
    CHECK(exists(run));
    CHECK_FALSE(gone);
    ::kill(*pid, SIGKILL);
  });
  loop.run();  // returns when nothing is waited for
  CHECK(gone);
  CHECK_FALSE(exists(run));
}

TEST_CASE("a child that is frozen on its way to exec is given up, and leaves nothing") {
  const std::string run = run_id();
  auto group = make_group(run);
  if (!group || !std::filesystem::exists(group->path() + "/cgroup.freeze")) return;
  std::ofstream(group->path() + "/cgroup.freeze") << "1";
  const ChildStdio stdio{ChildStdio::Kind::kPipes, {0, 1, 2}};
  const auto started = spawn_child({"/bin/true"}, "/", plain_env(), stdio, group->entrance().get());
  REQUIRE_FALSE(started);
  CHECK(started.error().text ==
        "spawn /bin/true: /bin/true was not executed within 5s: the disk does not answer, or the "
        "run's control group is frozen");
  // It ends as soon as the kernel lets it, which a busy machine may put off.
  for (int look = 0; look < 1'000 && !group->processes().empty(); ++look) ::usleep(10'000);
  CHECK(group->processes().empty());
  while (::waitpid(-1, nullptr, WNOHANG) > 0) {
  }
}

TEST_CASE("nothing is started in a group that is frozen, which would hold its host up for ever") {
  const std::string run = run_id();
  auto group = make_group(run);
  if (!group) return;
  const std::string freeze = group->path() + "/cgroup.freeze";
  if (!std::filesystem::exists(freeze)) {
    orch::say_skipped("control groups cannot be frozen here");
    return;
  }
  Containment outer(run, std::move(group));
  Containment inner = outer.inside(run + "-gate");
  std::ofstream(freeze) << "1";
  const ChildStdio stdio{ChildStdio::Kind::kPipes, {0, 1, 2}};
  for (Containment* one : {&outer, &inner}) {
    const auto started = one->start({"/bin/true"}, "/", plain_env(), stdio);
    REQUIRE_FALSE(started);
    CHECK(started.error().text.find("control group is frozen") != std::string::npos);
  }
  std::ofstream(freeze) << "0";
}

TEST_CASE("groups of runs are found while others are made and removed around them") {
  namespace fs = std::filesystem;
  // Real groups where they can be made; else folders, which vanish in the same way.
  auto group = Cgroup::create(own_cgroup(), run_id());
  std::string made = (fs::current_path() / "groups-XXXXXX").string();
  REQUIRE(::mkdtemp(made.data()) != nullptr);
  const std::string tree = group ? group->path() : made;
  const std::string wanted = tree + "/slice/scope/wanted.orch";
  fs::create_directories(wanted);
  const pid_t churner = ::fork();
  if (churner == 0) {
    for (int i = 0;; ++i) {
      const std::string shift = tree + "/" + std::to_string(i % 50);
      ::mkdir(shift.c_str(), 0700);
      ::mkdir((shift + "/inner").c_str(), 0700);
      const std::string old = tree + "/" + std::to_string((i + 25) % 50);
      ::rmdir((old + "/inner").c_str());
      ::rmdir(old.c_str());
    }
  }
  int missed = 0;
  for (int scan = 0; scan < 3'000; ++scan) {
    const auto found = own_run_groups_in(tree);
    missed += std::none_of(found.begin(), found.end(),
                           [](const RunGroup& one) { return one.run_id == "wanted"; });
  }
  ::kill(churner, SIGKILL);
  ::waitpid(churner, nullptr, 0);
  CHECK(missed == 0);
  fs::remove_all(made);
  for (int i = 0; i < 8 && !remove_cgroup(tree); ++i) ::usleep(10'000);
}
