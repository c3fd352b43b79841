// Signals and deadlines: the run ends with the documented code, and nothing of it stays alive.
#include <catch2/catch.hpp>
#include <csignal>

#include "workspace.h"

using namespace orch::e2e;

namespace {

// A program with a child that ignores SIGTERM, SIGHUP and SIGINT, and one that left its session.
constexpr const char* kStubborn =
    "trap '' TERM HUP INT; sleep 1000 & setsid sleep 1000 & "
    "setsid sh -c 'trap \"\" TERM HUP INT; sleep 1000' & echo ready; wait; wait; wait";

}  // namespace

TEST_CASE("nothing of a run is left, be it deaf to SIGTERM or gone from the session") {
  const Workspace stubborn, meek, ended;
  Program first(stubborn.shell(kStubborn, {"--timeout", "1s"}));
  Program second(meek.shell("setsid sleep 1000 & sleep 1000", {"--timeout", "1s"}));
  Program third(ended.shell("trap '' HUP; (setsid sleep 1000 &); sleep 1000 & exit 0"));
  const RunFolder left = check_ending(ended, third.finish(), "exit", 0);
  CHECK(living_with_mark(left.id()).empty());
  const RunFolder quick = check_ending(meek, second.finish(), "timeout", 124);
  CHECK(living_with_mark(quick.id()).empty());
  CHECK(quick.result.at("agent_signal") == SIGTERM);
  const RunFolder slow = check_ending(stubborn, first.finish(), "timeout", 124);
  CHECK(living_with_mark(slow.id()).empty());
  CHECK(slow.result.at("agent_signal") == SIGKILL);
}

TEST_CASE("Ctrl-C asks the agent to leave, and it does") {
  const Workspace workspace;
  Program program(workspace.demo("hang", {"--output", "json", "-p", "work"}));
  program.wait_for_output("\"status\":\"working\"");
  program.signal(SIGINT);
  const RunFolder run = check_ending(workspace, program.finish(), "interrupted", 130);
  CHECK(run.result.at("agent_exit_code") == 0);  // it left by its own quit keys
  CHECK(living_with_mark(run.id()).empty());
}

TEST_CASE("Ctrl-C typed on orch's terminal is the same") {
  const Workspace workspace;
  Launch launch = workspace.demo("hang", {"--output", "json", "-p", "work"});
  launch.terminal = TerminalSize{100, 30};
  Program program(launch);
  program.wait_for_output("\"status\":\"working\"");
  program.type("\x03");
  check_ending(workspace, program.finish(), "interrupted", 130);
}

TEST_CASE("the second Ctrl-C ends the agent at once") {
  const Workspace workspace;
  Program program(workspace.shell(
      "trap 'echo asked' TERM; trap '' INT HUP; echo ready; while :; do sleep 1000 & wait; done",
      {"--output", "raw"}));
  program.wait_for_output("ready");
  program.signal(SIGINT);
  program.wait_for_output("asked");
  const auto second = Clock::now();
  program.signal(SIGINT);
  const RunFolder run = check_ending(workspace, program.finish(), "interrupted", 130);
  // That is well before the 5 s that the stop ladder gives to SIGTERM.
  CHECK(Clock::now() - second < std::chrono::seconds(4));
  CHECK(run.result.at("agent_signal") == SIGKILL);
  CHECK(living_with_mark(run.id()).empty());
}

TEST_CASE("SIGTERM and a hang-up end the run as terminated") {
  for (const int signum : {SIGTERM, SIGHUP}) {
    INFO(signum);
    const Workspace workspace;
    Program program(workspace.shell("echo ready; sleep 1000", {"--output", "raw"}));
    program.wait_for_output("ready");
    program.signal(signum);
    const RunFolder run = check_ending(workspace, program.finish(), "terminated", 143);
    CHECK(living_with_mark(run.id()).empty());
  }
}

TEST_CASE("Ctrl-C before the prompt was delivered delivers nothing") {
  const Workspace workspace;
  Program program(workspace.demo("slow-start", {"--output", "json", "-p", "work"}));
  program.wait_for_output("\"phase\":\"queued\"");
  program.signal(SIGINT);
  check_ending(workspace, program.finish(), "interrupted", 130);
  CHECK(workspace.messages().empty());
}

TEST_CASE("Ctrl-C ends every issue of the run") {
  const Workspace workspace;
  Program program(
      workspace.orch({"run", "a", "b", "--", "sh", "-c", "echo ready $ORCH_RUN; sleep 1000"}));
  program.wait_for_output("a | ready");
  program.wait_for_output("b | ready");
  program.signal(SIGINT);
  CHECK(program.finish().code == 130);
  for (const char* issue : {"a", "b"}) {
    const RunFolder run = workspace.run_of(issue);
    CHECK(run.result.at("reason") == "interrupted");
    CHECK(living_with_mark(run.id()).empty());
  }
}

TEST_CASE("a batch that is interrupted ends with 130, whatever had failed before") {
  const Workspace workspace;
  const std::string script = "case $ORCH_RUN in *-a-*) exit 0;; esac; echo ready; exec sleep 1000";
  Program program(workspace.orch({"run", "a", "b", "--artifacts", workspace.file("artifacts"),
                                  "--verify", "false", "--", "sh", "-c", script}));
  program.wait_for_output("b | ready");
  program.wait_for_error("orch-a: gate_failed (exit 20)");
  program.signal(SIGINT);
  CHECK(program.finish().code == 130);
  const Json summary = Json::parse(content_of(workspace.file("artifacts/summary.json")));
  CHECK(summary.at("code") == 130);
  CHECK(workspace.run_of("a").result.at("reason") == "gate_failed");
  CHECK(workspace.run_of("b").result.at("reason") == "interrupted");
}
