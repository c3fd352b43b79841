// The commands that only show something.
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
  const Outcome run = Program(workspace.orch({"run", "--help-all"})).finish();
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
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.find("orch run \"fix") != std::string::npos);
}

TEST_CASE("agents are listed, as a table and as JSON") {
  const Workspace workspace;
  workspace.write("home/.config/orch/adapters/own.json",
                  R"({"manifest":1,"name":"own","title":"my own","program":["no-such-program"]})");
  const Outcome json = Program(workspace.orch({"agents", "--json"})).finish();
  REQUIRE(json.code == 0);
  CHECK(json.err.empty());
  std::map<std::string, Json> agents;
  for (const Json& agent : Json::parse(json.out)) agents[agent.at("agent")] = agent;
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

TEST_CASE("an agent that is newer than its rules is warned of") {
  const Workspace workspace;
  workspace.write("home/.config/orch/adapters/own.json",
                  R"({"manifest":1,"name":"own","tested":"9.0.1","program":["sh"],
                      "version":["-c","echo own version 9.0.10"]})");
  workspace.write("home/.config/orch/adapters/same.json",
                  R"({"manifest":1,"name":"same","tested":"9.0.1","program":["sh"],
                      "version":["-c","echo 9.0.1; sleep 100 & exit 0"]})");
  const Outcome table = Program(workspace.orch({"agents"})).finish();
  CHECK(table.code == 0);
  const std::vector<std::string> warnings = lines_of(table.err);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find("own 9.0.10 is newer than 9.0.1") != std::string::npos);
  const Outcome json = Program(workspace.orch({"agents", "--json"})).finish();
  for (const Json& agent : Json::parse(json.out)) {
    INFO(agent);
    if (agent.at("agent") == "own") CHECK(agent.at("newer_than_tested") == true);
    if (agent.at("agent") == "same") CHECK(agent.at("version") == "9.0.1");
    if (agent.at("agent") == "cursor") CHECK(agent.at("verified") == false);
  }
}
