// Ends that are never reported, and the timeouts for them: no run hangs, and none loses its
// verdict.
#include <signal.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "tracer.h"
#include "workspace.h"

using namespace orch::e2e;
using orch::tests::Tracer;

namespace {

// Enough for sanitizers and a busy machine; without the timeouts these runs would never end.
constexpr std::chrono::seconds kSoon{30};

pid_t pid_in(const std::string& path) {
  const Clock::time_point until = Clock::now() + kPatience;
  const auto is_whole = [&path] {
    return std::filesystem::exists(path) && content_of(path).ends_with("\n");
  };
  while (!is_whole() && Clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return static_cast<pid_t>(std::stol("0" + content_of(path)));
}

// A script that only ends when it is killed; it writes its pid to the file.
std::string told_in(const std::string& path) {
  return "trap '' TERM; echo $$ > " + path + "; echo ready; exec sleep 1000";
}

std::string left(pid_t pid) {
  return "its process, pid " + std::to_string(pid) + ", cannot be ended";
}

// Installs a git that hangs when it removes a worktree, and first creates the file `reached`.
std::string slow_git(const Workspace& workspace, const std::string& reached) {
  const std::string path = workspace.write(
      "bin/git", "#!/bin/sh\ncase \"$*\" in *'worktree remove'*) echo $$ > " + reached +
                     "; exec sleep 40;; esac\nexec /usr/bin/git \"$@\"\n");
  ::chmod(path.c_str(), 0755);
  return workspace.file("bin");
}

// The pid of the only demo agent of this test; 0 if there is none.
pid_t demo_agent_of(const Workspace& workspace) {
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", failure)) {
    const std::string path = entry.path().string();
    std::ifstream words(path + "/cmdline"), variables(path + "/environ");
    const std::string argv(std::istreambuf_iterator<char>(words), {});
    const std::string env(std::istreambuf_iterator<char>(variables), {});
    const bool ours =
        env.find(workspace.state().substr(0, workspace.state().rfind('/'))) != std::string::npos;
    if (ours && argv.substr(argv.find('\0') + 1).starts_with("demo-agent")) {
      return static_cast<pid_t>(std::stol(entry.path().filename().string()));
    }
  }
  return 0;
}

void make_commit(const Workspace& workspace) {
  Launch launch = workspace.orch({});
  launch.argv = {"/bin/sh", "-c",
                 "git init -q . && git config user.email a@b && git config user.name a && "
                 "git commit -q --allow-empty -m first"};
  REQUIRE(Program(launch).finish().code == 0);
}

}  // namespace

TEST_CASE("an agent that SIGKILL does not end holds up neither a limit, nor signals, nor kill") {
  const Workspace at_limit, by_signals, by_kill;
  Program limited(at_limit.shell(told_in(at_limit.file("pid")), {"--timeout", "2s"}));
  Program signalled(by_signals.shell(told_in(by_signals.file("pid"))));
  Program killed(by_kill.shell(told_in(by_kill.file("pid"))));
  const pid_t first = pid_in(at_limit.file("pid")), second = pid_in(by_signals.file("pid")),
              third = pid_in(by_kill.file("pid"));
  const Tracer traces_first(first), traces_second(second), traces_third(third);
  REQUIRE((traces_first.traces() && traces_second.traces() && traces_third.traces()));

  // Its agent may have begun before it is listed.
  while (Program(by_kill.orch({"status", "7"})).finish().code != 0) continue;

  const Clock::time_point begin = Clock::now();
  signalled.signal(SIGTERM);  // it takes effect before the others are told to end
  const Outcome kill = Program(by_kill.orch({"kill", "7", "--now"})).finish();
  signalled.signal(SIGTERM);
  CHECK(kill.code == 0);
  const RunFolder of_kill = check_ending(by_kill, killed.finish(), "killed", 137);
  const RunFolder of_signals = check_ending(by_signals, signalled.finish(), "terminated", 143);
  const RunFolder of_limit = check_ending(at_limit, limited.finish(), "timeout", 124);
  CHECK(Clock::now() - begin < kSoon);
  CHECK(of_limit.result.at("detail").get<std::string>().ends_with(left(first)));
  CHECK(of_signals.result.at("detail") == left(second));
  CHECK(of_kill.result.at("detail") == left(third));
}

TEST_CASE("a gate that SIGKILL does not end holds up no other session of its host") {
  const Workspace workspace;
  const std::string pid_file = workspace.file("gate");
  const Gate gate(workspace.file("go"));
  const std::string script = "case $ORCH_RUN in *-1-*) echo $$ > " + pid_file +
                             "; exec sleep 1000;; esac; read word < " + workspace.file("go");
  Launch launch = workspace.demo("default", {"2", "--verify", script}, "1");
  Program program(launch);
  const pid_t pid = pid_in(pid_file);
  const Tracer tracer(pid);
  REQUIRE(tracer.traces());
  const Clock::time_point begin = Clock::now();
  CHECK(Program(workspace.orch({"kill", "1"})).finish().code == 0);
  gate.let_through();
  const Outcome outcome = program.finish();
  CHECK(outcome.code == 137);
  CHECK(Clock::now() - begin < kSoon);
  CHECK(workspace.run_of("1").result.at("reason") == "killed");
  CHECK(workspace.run_of("2").result.at("reason") == "complete");
}

TEST_CASE("a gate that SIGKILL does not end fails at its time limit, and is named") {
  const Workspace workspace;
  const std::string pid_file = workspace.file("gate");
  Program program(workspace.demo(
      "default",
      {"--verify", "echo $$ > " + pid_file + "; exec sleep 99", "--verify-timeout", "3s"}));
  const pid_t pid = pid_in(pid_file);
  const Tracer tracer(pid);
  REQUIRE(tracer.traces());
  const RunFolder run = check_ending(workspace, program.finish(), "gate_failed", 20);
  CHECK(content_of(run.path + "/gates/1.log").find(left(pid)) != std::string::npos);
}

TEST_CASE("an agent that leaves while its gate runs does not take it along") {
  const Workspace workspace;
  const Gate gate(workspace.file("go"));
  const std::string begun = workspace.file("begun");
  Program program(workspace.demo(
      "default", {"--verify", "echo $$ > " + begun + "; read word < " + workspace.file("go")}));
  REQUIRE(pid_in(begun) > 0);
  const pid_t agent = demo_agent_of(workspace);
  REQUIRE(agent > 0);
  REQUIRE(Program(workspace.orch({"keys", "7", "C-c", "C-c"})).finish().code == 0);
  REQUIRE(ends(agent));
  gate.let_through();
  check_ending(workspace, program.finish(), "complete", 0);
}

TEST_CASE("a worktree that is removed slowly holds up no second signal, and no kill --now") {
  const Workspace workspace;
  make_commit(workspace);
  const std::string reached = workspace.project() + "/.git/reached";  // a place where git may write
  Launch launch = workspace.demo("default", {"--worktree"});
  for (std::string& variable : launch.env) {
    if (variable.starts_with("PATH=")) {
      variable.insert(5, slow_git(workspace, reached) + ":");
    }
  }
  Program program(launch);
  REQUIRE(pid_in(reached) > 0);
  const Clock::time_point begin = Clock::now();
  SECTION("signals") {
    program.signal(SIGTERM);
    program.signal(SIGINT);
  }
  SECTION("kill") { CHECK(Program(workspace.orch({"kill", "7", "--now"})).finish().code == 0); }
  const RunFolder run = check_ending(workspace, program.finish(), "complete", 0);
  CHECK(Clock::now() - begin < kSoon);
  CHECK(run.result.at("worktree").at("why") == "it was not removed in time");
  CHECK(std::filesystem::exists(workspace.project() + ".orch/7"));
}

TEST_CASE("a disk that never answers holds up no second signal") {
  const Workspace workspace;
  Launch launch = workspace.shell("echo ready; sleep 1000");
  launch.env.insert(launch.env.end(), {"LD_PRELOAD=" ORCH_SLOW_FSYNC, "ORCH_FSYNC_MS=60000",
                                       "ASAN_OPTIONS=verify_asan_link_order=0"});
  Program program(launch);
  program.wait_for_output("ready");
  const Clock::time_point begin = Clock::now();
  program.signal(SIGTERM);
  program.wait_for_error("waits for the disk to take its record");
  program.signal(SIGTERM);
  CHECK(program.finish().code == 143);
  CHECK(Clock::now() - begin < kSoon);
}

TEST_CASE("a gate that passed while orch was stopped has passed, however late it comes") {
  const Workspace workspace;
  const std::string begun = workspace.file("begun"), done = workspace.file("done");
  const Gate gate(workspace.file("go"));
  Program program(workspace.demo("default", {"--verify-timeout", "2s", "--verify",
                                             "echo $$ > " + begun + "; read word < " +
                                                 workspace.file("go") + "; echo 1 > " + done}));
  REQUIRE(pid_in(begun) > 0);
  ::kill(program.pid(), SIGSTOP);
  gate.let_through();
  REQUIRE(pid_in(done) == 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(2'500));  // until the limit has passed
  ::kill(program.pid(), SIGCONT);
  const RunFolder run = check_ending(workspace, program.finish(), "complete", 0);
  CHECK(run.result.at("gates").at(0).at("timed_out") == false);
}

TEST_CASE("a gate whose output nobody reads while orch is stopped has its time afterwards") {
  const Workspace workspace;
  const std::string begun = workspace.file("begun");
  const Gate gate(workspace.file("go"));
  Program program(
      workspace.demo("default", {"--verify-timeout", "2s", "--verify",
                                 "echo $$ > " + begun + "; read word < " + workspace.file("go") +
                                     "; head -c 1000000 /dev/zero | tr '\\0' x"}));
  REQUIRE(pid_in(begun) > 0);
  ::kill(program.pid(), SIGSTOP);
  gate.let_through();
  std::this_thread::sleep_for(std::chrono::milliseconds(2'500));  // until the limit has passed
  ::kill(program.pid(), SIGCONT);
  const RunFolder run = check_ending(workspace, program.finish(), "complete", 0);
  CHECK(run.result.at("gates").at(0).at("timed_out") == false);
}
