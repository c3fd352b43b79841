// Agents without a manifest: the demo agent, run as a program that orch does not know.
#include <algorithm>
#include <catch2/catch.hpp>

#include "workspace.h"

using namespace orch::e2e;

namespace {

// Launches orch run 7 <words> -- <the demo agent>, at its usual speed.
Launch unknown(const Workspace& workspace, const std::string& scenario, Words words) {
  words.insert(words.begin(), {"run", "7"});
  words.insert(words.end(), {"--", ORCH_PROGRAM, "demo-agent", "--scenario", scenario});
  Launch launch = workspace.orch(std::move(words));
  launch.env.push_back("ORCH_DEMO_SPEED=1");
  return launch;
}

bool all_guessed(const std::vector<Json>& events) {
  return std::all_of(events.begin(), events.end(), [](const Json& event) {
    const bool found = event.at("event") == "status" && !event.at("rule").is_null();
    return !found || event.value("guessed", false);
  });
}

}  // namespace

TEST_CASE("a program with a prompt is an agent whose statuses are guessed") {
  const Workspace workspace;
  const Outcome outcome = Program(unknown(workspace, "default", {"-p", "do it"})).finish();
  const RunFolder run = check_ending(workspace, outcome, "complete", 0);
  CHECK(workspace.messages().size() == 1);
  CHECK(run.record.at("agent") == "generic");
  CHECK(all_guessed(run.events));
  CHECK(count_of(outcome.err, "guessed") == 1);
  const std::vector<std::string> statuses = run.statuses();
  CHECK(std::count(statuses.begin(), statuses.end(), "working") > 0);
}

TEST_CASE("a dialog of an unknown agent is left to the user") {
  const Workspace workspace;
  const Outcome outcome = Program(unknown(workspace, "permission", {"-p", "do it"})).finish();
  check_ending(workspace, outcome, "needs_human", 10);
  CHECK(workspace.messages().size() == 1);
}

TEST_CASE("no policy decides guessed dialogs") {
  const Workspace workspace;
  const std::string rules = workspace.write("home/rules.json", R"({"default": "all"})");
  for (const std::string& policy : {std::string("all"), rules}) {
    const Outcome outcome =
        Program(unknown(workspace, "permission", {"-p", "do it", "--approve", policy})).finish();
    CHECK(outcome.code == 2);
    CHECK(holds(outcome.err, "would decide dialogs of a program that no manifest describes"));
  }
  CHECK(workspace.messages().empty());
}

TEST_CASE("--agent takes the path of a program") {
  const Workspace workspace;
  const std::string program = workspace.write(
      "project/agent", "#!/bin/sh\nexec " ORCH_PROGRAM " demo-agent --scenario default\n");
  shell_output(workspace, "chmod +x agent");
  Launch launch = workspace.orch({"run", "7", "--agent", "./agent", "-p", "do it"});
  launch.env.push_back("ORCH_DEMO_SPEED=1");
  const RunFolder run = check_ending(workspace, Program(launch).finish(), "complete", 0);
  CHECK(run.record.at("argv").at(0) == program);
  CHECK(workspace.messages().size() == 1);
}

TEST_CASE("an unknown agent in the background takes messages") {
  const Workspace workspace;
  REQUIRE(Program(unknown(workspace, "plain", {"-d", "--agent", "generic"})).finish().code == 0);
  CHECK(run_orch(workspace, {"wait", "7", "--until", "idle", "--timeout", "60s"}).code == 0);
  CHECK(run_orch(workspace, {"send", "7", "hello", "--wait", "idle"}).code == 0);
  CHECK(workspace.messages() == Words{"hello"});
  CHECK(run_orch(workspace, {"kill", "7", "--now"}).code == 0);
}
