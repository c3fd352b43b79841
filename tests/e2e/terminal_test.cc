// The agent's terminal has the size of ours, or a reasonable default.
#include <catch2/catch.hpp>

#include "workspace.h"

using namespace orch::e2e;

namespace {

std::string size_inside(const Workspace& workspace, Words words,
                        std::optional<TerminalSize> terminal) {
  words.insert(words.begin(), {"run", "7"});
  words.insert(words.end(), {"--", "stty", "size"});
  Launch launch = workspace.orch(words);
  launch.terminal = terminal;
  const Outcome outcome = Program(launch).finish();
  CHECK(outcome.code == 0);
  return outcome.out.substr(0, outcome.out.find_first_of("\r\n"));
}

}  // namespace

TEST_CASE("without a terminal, and in one of 0x0, the agent has 120 columns and 40 rows") {
  const Workspace pipes, nothing;
  CHECK(size_inside(pipes, {}, std::nullopt) == "40 120");
  CHECK(size_inside(nothing, {}, TerminalSize{0, 0}) == "40 120");
}

TEST_CASE("the agent has our terminal's size, unless another is asked for") {
  const Workspace ours, asked;
  CHECK(size_inside(ours, {}, TerminalSize{97, 31}) == "31 97");
  CHECK(size_inside(asked, {"--size", "60x15"}, TerminalSize{97, 31}) == "15 60");
}

TEST_CASE("the agent is told when our terminal changes its size") {
  const Workspace workspace;
  Launch launch = workspace.shell(
      "trap 'stty size; exit 0' WINCH; stty size; while :; do sleep 1000 & wait; done",
      {"--output", "raw"});
  launch.terminal = TerminalSize{80, 24};
  Program program(launch);
  program.wait_for_output("24 80");
  program.resize({101, 37});
  const Outcome outcome = program.finish();
  CHECK(outcome.out == "24 80\r\r\n37 101\r\r\n");  // two terminals, each of which adds a CR
  const RunFolder run = check_ending(workspace, outcome, "exit", 0);
  CHECK(content_of(run.recording()).find("\"r\", \"101x37\"") != std::string::npos);
}

TEST_CASE("a size that was asked for does not follow our terminal") {
  const Workspace workspace;
  Launch launch = workspace.shell("stty size; kill -WINCH $PPID; stty size", {"--size", "60x15"});
  launch.terminal = TerminalSize{80, 24};
  const Outcome outcome = Program(launch).finish();
  const RunFolder run = check_ending(workspace, outcome, "exit", 0);
  CHECK(outcome.out == "15 60\r\n15 60\r\n");
  CHECK(content_of(run.recording()).find("\"r\", ") == std::string::npos);
}

TEST_CASE("an answer survives our terminal's changes of size") {
  const Workspace workspace;
  Launch launch = workspace.demo("long", {"-p", "count"});
  launch.terminal = TerminalSize{80, 24};
  Program program(launch);
  program.wait_for_output("line 20 of 300");
  program.resize({120, 40});
  program.wait_for_output("line 100 of 300");
  program.resize({90, 40});
  const Outcome outcome = program.finish();
  check_ending(workspace, outcome, "complete", 0);
  std::vector<std::string> lines = lines_of(outcome.out);
  std::erase_if(lines, [](const std::string& line) { return !line.starts_with("line "); });
  REQUIRE(lines.size() == 300);
  for (size_t i = 0; i < lines.size(); ++i) {
    CHECK(lines[i] == "line " + std::to_string(i + 1) + " of 300\r");
  }
}
