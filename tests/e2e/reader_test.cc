// Readers of the output that are slow or go away do not change the run.
#include <catch2/catch.hpp>
#include <csignal>

#include "workspace.h"

using namespace orch::e2e;

TEST_CASE("a reader that goes away ends the stream, not the run") {
  const Workspace workspace;
  Program program(workspace.demo("long", {"-p", "count"}));
  program.wait_for_output("line 1 of 300\n");
  program.close_output();
  const RunFolder run = check_ending(workspace, program.finish(), "complete", 0);
  CHECK(run.transcript.find("\nline 300 of 300\n") != std::string::npos);
  const std::vector<Json> recorded = json_lines(content_of(run.recording()));
  CHECK(recorded.back() == Json::array({recorded.back().at(0), "m", "note=end"}));
}

TEST_CASE("a reader that was never there changes no exit code") {
  const Workspace workspace;
  Program program(workspace.shell("seq 1 30000; exit 7"));
  program.close_output();
  const RunFolder run = check_ending(workspace, program.finish(), "agent_failed", 1);
  CHECK(lines_of(run.transcript).size() == 30000);
}

TEST_CASE("a slow reader holds up nothing and loses nothing") {
  const Workspace workspace;
  Program program(workspace.demo("flood", {"-p", "count"}));
  // The run has ended, and says so, when its reader can have got no more text than a pipe holds.
  program.wait_for_error("orch: orch-7: complete (exit 0)\n");
  REQUIRE(program.output().empty());
  const Outcome outcome = program.finish();
  const RunFolder run = check_ending(workspace, outcome, "complete", 0);
  CHECK(outcome.out == run.words());
  CHECK(outcome.out.size() > 300'000);
}

TEST_CASE("a terminal that nobody reads holds up nothing and loses nothing") {
  const Workspace workspace;
  Launch launch = workspace.shell("seq 1 30000");
  launch.terminal = TerminalSize{80, 24};
  Program program(launch);
  program.wait_for_error("orch: orch-7: exit (exit 0)");
  const std::vector<std::string> lines = lines_of(program.finish().out);
  REQUIRE(lines.size() == 30000);
  CHECK(lines.front() == "1\r");
  CHECK(lines.back() == "30000\r");
}

TEST_CASE("whoever waits only for the reader can be interrupted") {
  const Workspace workspace;
  Program program(workspace.shell("seq 1 30000"));
  program.wait_for_error("orch: orch-7: exit (exit 0)\n");
  program.signal(SIGINT);
  check_ending(workspace, program.finish(), "exit", 0);
}
