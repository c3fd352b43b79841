// The commands that only tell something.
#include <catch2/catch.hpp>
#include <map>

#include "workspace.h"

using namespace orch::e2e;

TEST_CASE("help is on stdout, with every exit code") {
  const Workspace workspace;
  const Outcome help = Program(workspace.orch({"--help"})).finish();
  CHECK(help.code == 0);
  CHECK(help.err.empty());
  CHECK(help.out.find("orch run demo") != std::string::npos);
  const Outcome run = Program(workspace.orch({"run", "--help"})).finish();
  CHECK(run.code == 0);
  for (const char* row : {"  0    complete", "  10   needs_human", "  75   retry_later",
                          "  124  timeout", "  127  not_found", "  143  terminated"}) {
    INFO(row);
    CHECK(run.out.find(row) != std::string::npos);
  }
  for (const char* command : {"replay", "agents"}) {
    CHECK(Program(workspace.orch({command, "--help"})).finish().code == 0);
  }
  CHECK(Program(workspace.orch({"--version"})).finish().out.starts_with("orch "));
  CHECK_FALSE(workspace.has_state());
}

TEST_CASE("orch alone explains itself and has done nothing") {
  const Workspace workspace;
  const Outcome outcome = Program(workspace.orch({})).finish();
  CHECK(outcome.code == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find("run an agent on an issue") != std::string::npos);
}

TEST_CASE("agents are listed, as a table and as JSON") {
  const Workspace workspace;
  workspace.write("home/.config/orch/adapters/own.json",
                  R"({"manifest":1,"name":"own","title":"my own","program":["no-such-program"]})");
  const Outcome json = Program(workspace.orch({"agents", "--json"})).finish();
  REQUIRE(json.code == 0);
  CHECK(json.err.empty());
  std::map<std::string, Json> agents;
  for (const Json& agent : Json::parse(json.out)) agents[agent.at("name")] = agent;
  for (const char* name : {"claude", "codex", "gemini", "demo", "command", "own"}) {
    INFO(name);
    REQUIRE(agents.contains(name));
    CHECK(agents[name].at("installed").is_boolean());
    CHECK(agents[name].at("program").is_array());
  }
  CHECK(agents["demo"].at("installed") == true);
  CHECK(agents["own"].at("installed") == false);
  const Outcome table = Program(workspace.orch({"agents"})).finish();
  CHECK(table.code == 0);
  CHECK(lines_of(table.out).size() == agents.size() + 1);
}
