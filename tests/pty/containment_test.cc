#include "pty/containment.h"

#include <sched.h>  // unshare
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "loop/loop.h"
#include "marked_process.h"
#include "pty/guardian.h"
#include "pty/proc_file.h"
#include "pty/pty.h"
#include "recorder.h"
#include "skipped.h"

using orch::loop::Loop;
using orch::pty::become_subreaper;
using orch::pty::Containment;
using orch::pty::ExitStatus;
using orch::pty::has_no_orphan_since;
using orch::pty::kill_strays;
using orch::pty::number_after;
using orch::pty::PassedByOrphans;
using orch::pty::Pty;
using orch::pty::reap_adopted;
using orch::pty::reap_orphans;
using orch::pty::Recorder;
using orch::pty::shell;
using orch::pty::SpawnPlan;
using orch::pty::wait_for_zombie;

namespace {

// A run's name that no other test, and no other execution of the tests, uses.
std::string run_named(const std::string& name) { return name + "-" + std::to_string(::getpid()); }

SpawnPlan marked_shell(const std::string& run, const std::string& script) {
  SpawnPlan plan = shell(script);
  plan.env.push_back("ORCH_RUN=" + run);
  return plan;
}

void reap_all() {
  while (::waitpid(-1, nullptr, 0) > 0) continue;
}

void wait_until_stopped(pid_t child) {
  const std::string path = "/proc/" + std::to_string(child) + "/stat";
  std::string id, name, state;
  while (state != "T") std::ifstream(path) >> id >> name >> state;
}

// Ends a session, and waits until its leader, which was killed, lives no more: on a busy machine
// that takes longer than the session waits for it.
void end_session(std::unique_ptr<Pty>& pty) {
  const orch::pty::ProcessId leader = orch::pty::identify(pty->pid());
  constexpr timespec kPause{0, 1'000'000};
  pty.reset();
  while (orch::pty::lives(leader)) ::nanosleep(&kPause, nullptr);
}

// A shell whose environment names no run.
SpawnPlan shell_of(Containment& run, const std::string& script) {
  SpawnPlan plan = shell(script);
  plan.run = &run;
  return plan;
}

}  // namespace

TEST_CASE("a helper that left the session is found by its run's mark, and by no other") {
  REQUIRE(become_subreaper());
  const std::string run = run_named("run");
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
  end_session(*pty);
  CHECK(::getpgid(left) == left);  // the end of the process group did not reach it

  CHECK(Containment(run + "0").kill() == 0);
  CHECK(Containment(run.substr(0, run.size() - 1)).kill() == 0);
  CHECK(Containment(run).count() == 1);
  CHECK(Containment(run).kill() == 1);
  CHECK(reap_adopted(left) == SIGKILL);
  CHECK(Containment(run).kill() == 0);
}

TEST_CASE("marks are looked for in what started since the run's first process") {
  REQUIRE(become_subreaper());
  const std::string run = run_named("since");
  Loop loop;
  Recorder before(loop), recorder(loop);
  const auto older = Pty::spawn(loop, marked_shell(run, "echo ready.; exec sleep 1000"), before);
  REQUIRE(older);
  REQUIRE(before.wait_for("."));
  const timespec tick{0, 2'000'000'000 / ::sysconf(_SC_CLK_TCK)};
  ::nanosleep(&tick, nullptr);  // so that the next process has another start time

  Containment contained(run);
  CHECK(Containment(run).count() == 1);
  SpawnPlan plan =
      marked_shell(run, "setsid sh -c 'trap \"\" HUP; echo left $$.; exec sleep 1000' & read x");
  plan.run = &contained;
  auto pty = Pty::spawn(loop, plan, recorder);
  REQUIRE(pty);
  REQUIRE(recorder.wait_for("."));
  const pid_t left = number_after(recorder.output, "left ");
  // In the middle of its exec it has no mark.
  while (!orch::pty::read_proc(left, "cmdline").starts_with("sleep")) ::nanosleep(&tick, nullptr);
  end_session(*pty);
  CHECK(contained.living() == std::vector<pid_t>{left});
  CHECK(contained.kill() == 1);
  CHECK(reap_adopted(left) == SIGKILL);
}

TEST_CASE("every process of a run, in the middle of exec or not, is killed once") {
  REQUIRE(become_subreaper());
  const std::string run = run_named("tree");
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
  CHECK(Containment(run).kill() == 3);
  CHECK(recorder.wait_for_end() == ExitStatus{0, SIGKILL});
  CHECK(reap_adopted(number_after(recorder.output, "one ")) == SIGKILL);
  CHECK(reap_adopted(number_after(recorder.output, "two ")) == SIGKILL);
}

TEST_CASE("who clears its environment and leaves the session is found by its descent") {
  REQUIRE(become_subreaper());
  Loop loop;
  Recorder recorder(loop);
  Containment run(run_named("descent"));
  auto pty = Pty::spawn(
      loop,
      shell_of(run,
               "trap '' HUP; env -i setsid /bin/sh -c 'echo far $$; exec /bin/sleep 1000' & "
               "env -i /bin/sleep 1000 & echo near $! ready; while read x; do :; done"),
      recorder);
  REQUIRE(pty);
  REQUIRE(recorder.wait_for("ready"));
  REQUIRE(recorder.wait_for("far "));
  CHECK(run.kill() == 3);
  CHECK(recorder.wait_for_end() == ExitStatus{0, SIGKILL});
  CHECK(reap_adopted(number_after(recorder.output, "far ")) == SIGKILL);
  CHECK(reap_adopted(number_after(recorder.output, "near ")) == SIGKILL);
}

TEST_CASE("what an agent leaves in its session is found after the agent's end") {
  REQUIRE(become_subreaper());
  Loop loop;
  Recorder recorder(loop);
  Containment run(run_named("session"));
  auto pty = Pty::spawn(
      loop,
      shell_of(run, "trap '' HUP; env -i /bin/sleep 1000 >&- 2>&- <&- & echo left $!.; exit 0"),
      recorder);
  REQUIRE(pty);
  CHECK(recorder.wait_for_end() == ExitStatus{0, 0});
  CHECK(run.kill() == 1);
  CHECK(reap_adopted(number_after(recorder.output, "left ")) == SIGKILL);
}

TEST_CASE("the rest of a run is looked for where an orphan has come to this process") {
  REQUIRE(become_subreaper());
  Loop loop;
  Recorder other(loop);
  auto neighbour = Pty::spawn(loop, shell("echo here; read x"), other);
  REQUIRE(neighbour);
  REQUIRE(other.wait_for("here"));
  const std::string leave_one = "trap '' HUP; env -i /bin/sleep 1000 >&- 2>&- <&- & echo left $!.";
  for (const size_t left : {0, 1}) {
    Recorder recorder(loop);
    Containment run(run_named("rest"));
    auto pty = Pty::spawn(loop, shell_of(run, left == 1 ? leave_one : "exit 0"), recorder);
    REQUIRE(pty);
    CHECK(recorder.wait_for_end() == ExitStatus{0, 0});
    CHECK(has_no_orphan_since(loop, 0) == (left == 0));
    CHECK(has_no_orphan_since(loop, UINT64_MAX));  // nobody is so young
    CHECK(run.kill_rest(loop) == left);
    if (left == 1) CHECK(reap_adopted(number_after(recorder.output, "left ")) == SIGKILL);
  }
  CHECK_FALSE(other.end);
}

TEST_CASE("where orphans say nothing, the rest of a run is looked for") {
  REQUIRE(become_subreaper());
  Loop loop;
  MarkedProcess marked(run_named("elsewhere"));  // of a run that another host has started
  CHECK(Containment(run_named("elsewhere")).kill_rest(loop) == 1);
  const PassedByOrphans passed;
  CHECK_FALSE(has_no_orphan_since(loop, UINT64_MAX));
}

TEST_CASE("the end of one run does not touch another's helpers, nor orphans of nobody knows whom") {
  REQUIRE(become_subreaper());
  Loop loop;
  Recorder ending(loop);
  Recorder staying(loop);
  Containment first(run_named("first"));
  Containment second(run_named("second"));
  const std::string script =
      "setsid sleep 1000 >&- 2>&- <&- & echo helper $!; (env -i setsid /bin/sh -c 'echo stray $$.; "
      "exec /bin/sleep 1000 >&- 2>&- <&-' &); echo ready; read x";
  SpawnPlan plan = marked_shell(run_named("first"), script);
  plan.run = &first;
  auto one = Pty::spawn(loop, plan, ending);
  plan = marked_shell(run_named("second"), script);
  plan.run = &second;
  auto other = Pty::spawn(loop, plan, staying);
  REQUIRE(one);
  REQUIRE(other);
  for (Recorder* recorder : {&ending, &staying}) {
    REQUIRE(recorder->wait_for("ready"));
    REQUIRE(recorder->wait_for("."));
  }

  CHECK(first.kill() == 2);
  CHECK(ending.wait_for_end() == ExitStatus{0, SIGKILL});
  CHECK(reap_adopted(number_after(ending.output, "helper ")) == SIGKILL);
  CHECK(second.count() == 2);
  CHECK(second.kill() == 2);
  CHECK(staying.wait_for_end() == ExitStatus{0, SIGKILL});
  CHECK(reap_adopted(number_after(staying.output, "helper ")) == SIGKILL);

  // It is not known which run the strays belong to, so they end with the last run; processes that
  // are older than the runs do not.
  CHECK(kill_strays(loop, UINT64_MAX) == 0);
  CHECK(kill_strays(loop, 0) == 2);
  CHECK(reap_adopted(number_after(ending.output, "stray ")) == SIGKILL);
  CHECK(reap_adopted(number_after(staying.output, "stray ")) == SIGKILL);
}

TEST_CASE("the end of a run ends the runs that its agent started, and not the other way round") {
  REQUIRE(become_subreaper());
  Loop loop;
  Recorder recorder(loop);
  const std::string outer = run_named("outer");
  const std::string inner = run_named("inner");
  auto pty =
      Pty::spawn(loop,
                 marked_shell(outer, "env ORCH_RUN=" + inner + " ORCH_RUNS=" + outer + ":" + inner +
                                         " setsid sh -c 'trap \"\" HUP; echo in $$.; exec "
                                         "sleep 1000' & read x"),
                 recorder);
  REQUIRE(pty);
  REQUIRE(recorder.wait_for("."));
  CHECK(Containment(inner).count() == 1);
  end_session(*pty);  // ends only the session
  CHECK(Containment(outer).kill() == 1);
  CHECK(reap_adopted(number_after(recorder.output, "in ")) == SIGKILL);
}

TEST_CASE("who forks without end does not escape") {
  REQUIRE(become_subreaper());
  Loop loop;
  Recorder recorder(loop);
  Containment run(run_named("forks"));
  auto pty = Pty::spawn(
      loop,
      shell_of(run,
               "for i in 1 2 3; do env -i /bin/sh -c 'while :; do /bin/sleep 0.001; done' "
               "& done; echo ready; while :; do (sleep 0.001 &); done"),
      recorder);
  REQUIRE(pty);
  REQUIRE(recorder.wait_for("ready"));
  CHECK(run.kill() >= 4);
  CHECK(recorder.wait_for_end() == ExitStatus{0, SIGKILL});
  reap_all();  // they are our orphans now, and the kernel takes its time to end them
  CHECK(run.count() == 0);
}

TEST_CASE("asked to end, each process is asked once, a stopped one too") {
  REQUIRE(become_subreaper());
  Loop loop;
  Recorder recorder(loop);
  Containment run(run_named("asked"));
  auto pty = Pty::spawn(loop,
                        shell_of(run,
                                 "sh -c 'kill -STOP $$' & trap 'echo asked' TERM; "
                                 "echo child $! ready; while :; do read x; done"),
                        recorder);
  REQUIRE(pty);
  REQUIRE(recorder.wait_for("ready"));
  wait_until_stopped(number_after(recorder.output, "child "));
  CHECK(run.ask_to_end() == 2);
  REQUIRE(recorder.wait_for("asked"));
  while (run.ask_to_end() == 2) continue;  // until the stopped child has got it
  CHECK(run.ask_to_end() == 1);
  CHECK(recorder.output.find("asked") == recorder.output.rfind("asked"));
  CHECK(run.kill() == 1);
  CHECK(recorder.wait_for_end() == ExitStatus{0, SIGKILL});
  reap_all();
}

TEST_CASE("who calls himself a guardian dies a little later, and no more") {
  REQUIRE(become_subreaper());
  const std::string folder = std::filesystem::temp_directory_path() / run_named("impostor");
  std::filesystem::create_directory(folder);
  REQUIRE(::mkfifo((folder + "/guardian").c_str(), 0600) == 0);
  const std::string mark = "ORCH_RUN=" + run_named("impostor");
  const pid_t impostor = ::fork();
  if (impostor == 0) {
    const char* const environment[] = {mark.c_str(), nullptr};
    // As for every agent; the test's own session leader may be outside of its pid namespace.
    ::setsid();
    if (::chdir(folder.c_str()) == 0) {  // cat waits for a writer of the pipe
      ::execle("/bin/cat", "/proc/self/exe", "internal", "guardian", nullptr, environment);
    }
    ::_exit(127);
  }
  const std::string cmdline = "/proc/" + std::to_string(impostor) + "/cmdline";
  std::string words;
  while (words != orch::pty::guardian_command_line()) {
    std::ifstream file(cmdline);
    words.assign(std::istreambuf_iterator<char>(file), {});
  }
  CHECK(Containment(run_named("impostor")).kill() == 1);
  CHECK(reap_adopted(impostor) == SIGKILL);
  std::filesystem::remove_all(folder);
}

TEST_CASE("the host's own guardian is spared, even where an agent claims it") {
  REQUIRE(become_subreaper());
  Loop loop;
  Recorder recorder(loop);
  auto pty = Pty::spawn(loop, marked_shell(run_named("claimed"), "echo ready; read x"), recorder);
  REQUIRE(pty);
  REQUIRE(recorder.wait_for("ready"));
  Containment run(run_named("claimed"));
  run.spare(orch::pty::identify((*pty)->pid()));
  CHECK(run.kill() == 0);
  Containment other(run_named("claimed"));
  other.spare({(*pty)->pid(), 1});  // the pid belonged to another process then
  CHECK(other.kill() == 1);
  CHECK(recorder.wait_for_end() == ExitStatus{0, SIGKILL});
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
  CHECK(reap_orphans(loop) == 0);  // it is still alive
  REQUIRE(::kill(orphan, SIGKILL) == 0);
  wait_for_zombie(orphan);
  (*pty)->write("\r");
  wait_for_zombie((*pty)->pid());
  CHECK(reap_orphans(loop) == 1);
  CHECK(reap_orphans(loop) == 0);
  CHECK(recorder.wait_for_end() == ExitStatus{3, 0});
}

// As in a container in which a process was started from outside (docker exec): its session's leader
// has no pid there, and the kernel reports 0.
TEST_CASE("a process whose session began outside of its pid namespace is of the run it names") {
  enum Seen { kNone = 3, kOne, kNotMade };
  const pid_t outside = ::fork();
  if (outside == 0) {
    if (::unshare(CLONE_NEWPID | CLONE_NEWNS) != 0) ::_exit(kNotMade);
    const pid_t inside = ::fork();
    if (inside == 0) {
      const bool made = ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                        ::mount("proc", "/proc", "proc", 0, nullptr) == 0 && ::getsid(0) == 0;
      if (!made) ::_exit(kNotMade);
      MarkedProcess process("of-no-session");
      const size_t count = Containment("of-no-session", nullptr).count();
      process.end();
      ::_exit(count == 1 ? kOne : kNone);
    }
    int status = 0;
    ::waitpid(inside, &status, 0);
    ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : kNotMade);
  }
  int status = 0;
  REQUIRE(::waitpid(outside, &status, 0) == outside);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNotMade) {
    orch::say_skipped("no pid namespace can be made here");
    return;
  }
  CHECK(WEXITSTATUS(status) == kOne);
}
