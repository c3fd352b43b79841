// A recording that is played on a terminal.
#include <catch2/catch.hpp>

#include "workspace.h"

using namespace orch::e2e;

namespace {}  // namespace

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
