// A recording that is played on a terminal.
#include <catch2/catch.hpp>

#include "workspace.h"

using namespace orch::e2e;

namespace {

// What a replay tells as the agent's words, without blank lines.
std::vector<std::string> said_in(const Workspace& workspace, const std::string& recording) {
  const std::string file = std::string(RECORDINGS) + "/" + recording;
  const Outcome replayed =
      Program(workspace.orch({"replay", file, "--agent", "claude", "--json"})).finish();
  REQUIRE(replayed.code == 0);
  std::vector<std::string> said;
  for (const std::string& line : lines_of(replayed.out)) {
    const Json record = Json::parse(line);
    if (record.at("event") != "output" || record.at("speaker") != "agent") continue;
    const std::string text = record.at("text");
    if (!text.empty()) said.push_back(text);
  }
  return said;
}

using Said = std::vector<std::string>;

}  // namespace

TEST_CASE("replay on a terminal plays the recording as its keys say") {
  const Workspace workspace;
  REQUIRE(Program(workspace.demo("default", {"-p", "do it"})).finish().code == 0);
  Program player(on_terminal(workspace.orch({"replay", "7", "--speed", "0.1"}), {160, 41}));
  player.wait_for_drawn("▶ 0:00");
  player.wait_for_drawn("q leaves");
  player.wait_for_drawn("0:00.0  starting");  // the statuses beside the screen
  player.type(" ");
  player.wait_for_drawn("‖ 0:00");
  player.type("\x1b[F");  // End
  player.wait_for_drawn("■");
  player.wait_for_drawn("The README says what it should");
  player.type("[");
  player.wait_for_drawn("‖");
  player.resize({80, 41});
  player.wait_for_drawn("‖");
  player.type("q");
  const Outcome left = player.finish();
  CHECK(left.code == 0);
  CHECK(left.terminal_as_found);
}

TEST_CASE("replay lists the statuses in a pipe, and on a terminal where asked") {
  const Workspace workspace;
  REQUIRE(Program(workspace.demo("default", {"-p", "do it"})).finish().code == 0);
  const std::string piped = Program(workspace.orch({"replay", "7"})).finish().out;
  CHECK(piped.find("starting") != std::string::npos);
  const Launch asked = workspace.orch({"replay", "7", "--statuses"});
  const Outcome listed = Program(on_terminal(asked, {100, 30})).finish();
  CHECK(lines_of(listed.out).size() == lines_of(piped).size());
  CHECK(listed.out.find("\x1b") == std::string::npos);
  for (const char* speed : {"0", "101", "fast"}) {
    CHECK(Program(workspace.orch({"replay", "7", "--speed", speed})).finish().code == 2);
  }
}

TEST_CASE("a secret in a recording is covered while it is played, also while it is being drawn") {
  const Workspace workspace;
  const std::string cast = workspace.write(
      "secret.cast",
      "{\"version\":2,\"width\":80,\"height\":24,\"orch\":{\"agent\":\"demo\"}}\n"
      "[0.1,\"o\",\"key ghp_0123456789abcdef\"]\n[0.6,\"o\",\"ghijABCDEFGHIJ012345 end\"]\n"
      "[0.7,\"m\",\"\"]\n");
  Program player(on_terminal(workspace.orch({"replay", cast, "--speed", "0.5"}), {120, 30}));
  player.wait_for_drawn(" end");
  player.type("q");
  const Outcome left = player.finish();
  CHECK(left.out.find("key ") != std::string::npos);
  CHECK(left.out.find("0123456789") == std::string::npos);
  CHECK(left.out.find("ABCDEFGHIJ") == std::string::npos);
}

TEST_CASE("what claude counts of its tools and says of its helpers is not told as its words") {
  const Workspace workspace;
  CHECK(said_in(workspace, "claude/tool-counters-80x24.cast") ==
        Said{"I read the file first.", "Read 1 file, says the model itself.",
             "Now the greeting is looked for.", "A command:", "1. it prints", "2. it ends",
             "A file that is not there:", "That was all; nothing is left to look at."});
  CHECK(said_in(workspace, "claude/helper-80x24.cast") ==
        Said{"I ask a helper.", "The helper reports.", "The helper has found nothing."});
}

TEST_CASE("what stands in a pane beside claude's words is not told with them") {
  const Workspace workspace;
  CHECK(said_in(workspace, "claude/side-pane-200x30.cast") ==
        Said{"I change the file.", "The file is changed, and the changes stand beside these words.",
             " More words follow in the same answer.", "- one", "- two"});
}
