// The usage that an agent on a terminal writes into its own session files, and what a run does with
// it.
#include <unistd.h>

#include <catch2/catch.hpp>

#include "workspace.h"

using namespace orch::e2e;

namespace {

// Installs an agent "own": the demo agent, which keeps no session files, behind a script that
// writes one, with a request of 107 tokens that is reported twice, and one of another session in
// the same folder.
void install(const Workspace& workspace) {
  const std::string script = workspace.write("agent.sh", R"(mkdir -p "$HOME/.own"
session=$2
now=$(date -u +%Y-%m-%dT%H:%M:%S.%3NZ)
line() {
  printf '{"session":"%s","at":"%s","type":"answer","id":"%s","in":100,"out":7}\n' "$1" "$now" "$2"
}
line "$session" r1 > "$HOME/.own/$session.jsonl"
line "$session" r1 >> "$HOME/.own/$session.jsonl"
line 99999999-2222-4333-8444-555555555555 r2 > "$HOME/.own/99999999-2222-4333-8444-555555555555.jsonl"
exec ")" ORCH_PROGRAM R"(" demo-agent "$@"
)");
  Json manifest = Json::parse(content_of(ORCH_SOURCE_DIR "/src/adapters/manifests/demo.json"));
  manifest["name"] = "own";
  manifest["program"] = {"/bin/sh", script};
  manifest["record"] = {{"home", {"$HOME/.own"}},
                        {"files", "*.jsonl"},
                        {"lines", {{{"is", "nothing"}, {"when", {{"/type", "answer"}}}}}},
                        {"time", "/at"},
                        {"session", "/session"},
                        {"usage",
                         {{"when", {{"/type", "answer"}}},
                          {"id", "/id"},
                          {"in", {"/in"}},
                          {"out", {"/out"}},
                          {"files", {"{session}.jsonl"}}}}};
  workspace.write("home/.config/orch/adapters/own.json", manifest.dump());
}

}  // namespace

TEST_CASE("an agent on a terminal that has used its tokens gets no further turn") {
  const Workspace workspace;
  install(workspace);
  Launch launch = workspace.orch(
      {"run", "7", "--agent", "own", "-p", "go", "--max-tokens", "100", "--sandbox", "none"});
  launch.env.emplace_back("ORCH_DEMO_SCENARIO=plain");  // it never says that it is done
  const Outcome outcome = Program(launch).finish();
  const RunFolder folder = check_ending(workspace, outcome, "tokens", 124);
  CHECK(folder.result.at("turns") == 1);
  CHECK(folder.result.at("usage").at("in") == 100);
  CHECK(folder.result.at("usage").at("out") == 7);
  CHECK(folder.result.at("usage").at("source") == "record");
}

TEST_CASE("what an agent on a terminal took shows while it runs and afterwards") {
  const Workspace workspace;
  install(workspace);
  const auto orch = [&workspace](const Words& words) {
    return Program(workspace.orch(words)).finish();
  };
  const Words start{"run", "7",       "-d",   "--agent",   "own", "-p",
                    "go",  "--until", "exit", "--sandbox", "none"};
  REQUIRE(orch(start).code == 0);
  REQUIRE(orch({"wait", "7", "--until", "idle", "--timeout", "20s"}).code == 0);
  const Json status = Json::parse(orch({"status", "7", "--json"}).out);
  CHECK(status.at("usage").value("in", 0) == 100);
  const Outcome shown = orch({"status", "7"});
  INFO(shown.out << shown.err);
  CHECK(shown.out.find("100 tokens in") != std::string::npos);
  CHECK(orch({"kill", "7"}).code == 0);
  CHECK(orch({"show", "7"}).out.find("100 tokens in") != std::string::npos);
  CHECK(orch({"runs"}).out.find(" 107 ") != std::string::npos);
}

TEST_CASE("money is not to be had where an agent tells of none") {
  const Workspace workspace;
  install(workspace);
  const Outcome outcome =
      Program(workspace.orch({"run", "7", "--agent", "own", "-p", "go", "--max-cost", "1"}))
          .finish();
  CHECK(outcome.code == 2);
  CHECK(outcome.err.find("does not report what its turns cost") != std::string::npos);
  CHECK_FALSE(workspace.has_state());
}

TEST_CASE("the agents of a crew have one purse, over hosts, until the crew was down") {
  const Workspace workspace;
  install(workspace);
  const auto file = [&workspace](const std::string& cli) {
    workspace.write("project/crew.yaml",
                    "version: 1\nproject: shop\nagents:\n  - {name: a, cli: " + cli +
                        ", prompt: go}\n  - {name: b, cli: " + cli + ", prompt: go}\n");
  };
  const auto crew = [&workspace](Words words) {
    words.insert(words.begin(), "crew");
    Launch launch = workspace.orch(std::move(words));
    launch.env.emplace_back("ORCH_DEMO_SCENARIO=plain");
    return Program(launch).finish();
  };
  const auto nobody_runs = [&] {
    const auto until = Clock::now() + kPatience;
    while (Clock::now() < until) {
      if (Program(workspace.orch({"sessions", "--json"})).finish().out == "[]\n") return true;
      ::usleep(50'000);
    }
    return false;
  };
  file("demo");
  const Outcome untold = crew({"up", "--sandbox", "none", "--crew-max-tokens", "150"});
  CHECK(untold.code == 2);  // nobody would count its tokens
  file("own");
  CHECK(crew({"up", "--sandbox", "none", "--crew-max-tokens", "many"}).code == 2);
  const Outcome up = crew({"up", "--sandbox", "none", "--crew-max-tokens", "150"});
  INFO(up.err);
  REQUIRE(up.code == 0);
  CHECK(nobody_runs());  // two turns of 107
  const Outcome again = crew({"up", "--sandbox", "none", "--crew-max-tokens", "150"});
  CHECK(again.code == 2);
  CHECK(again.err.find("--crew-max-tokens 150: the crew has used 214;") != std::string::npos);
  CHECK(crew({"down"}).code == 0);
  const Outcome anew = crew({"up", "--sandbox", "none", "--crew-max-tokens", "100000"});
  INFO(anew.err);
  CHECK(anew.code == 0);
  CHECK(crew({"down"}).code == 0);
  CHECK(nobody_runs());
}
