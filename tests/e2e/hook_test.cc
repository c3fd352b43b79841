// What an agent reports of itself by its hooks.
#include <catch2/catch.hpp>

#include "workspace.h"

using namespace orch::e2e;

namespace {

// An agent that draws nothing and only reports by hooks.
constexpr const char* kManifest = R"({
  "manifest": 1, "name": "own", "program": ["sh", "-c"], "idle_known": false,
  "hooks": {
    "arguments": ["read settings < {}; echo settings $settings; . ./hooks.sh"],
    "settings": {}
  },
  "timing": {"start_working_ms": 0, "notice_idle_ms": 100},
  "notices": [
    {"id": "submit", "match": "^hook Submit", "status": "working"},
    {"id": "ask", "match": "^hook Ask", "status": "waiting", "cause": "question"},
    {"id": "stop", "match": "^hook Stop", "status": "idle"}
  ]
})";

constexpr const char* kScript = R"(
hook() { echo "{\"hook_event_name\":\"$1\"}" | "$ORCH_HOOK" hook; echo hook $?; }
hook Submit; read word < go; hook Ask; read word < go; hook Stop; read word < go
)";

const Words kRunOwn{"run", "7", "--agent", "own", "--until", "exit", "--output", "json"};

}  // namespace

TEST_CASE("hooks tell an agent's status where its screen does not") {
  const Workspace workspace;
  workspace.write("home/.config/orch/adapters/own.json", kManifest);
  workspace.write("project/hooks.sh", kScript);
  const Gate go(workspace.file("project/go"));
  Program program(workspace.orch(kRunOwn));
  for (const char* status : {"working", "waiting", "idle"}) {
    program.wait_for_output("\"status\":\"" + std::string(status) + "\"");
    go.let_through();
  }
  const Outcome outcome = program.finish();
  const RunFolder run = check_ending(workspace, outcome, "exit", 0);
  CHECK(run.statuses() ==
        std::vector<std::string>{"starting", "working", "waiting/question", "idle", "exited"});
  CHECK(run.transcript == "settings {}\nhook 0\nhook 0\nhook 0\n");
}

TEST_CASE("without hooks the agent is left alone") {
  const Workspace workspace;
  workspace.write("home/.config/orch/adapters/own.json",
                  R"({"manifest": 1, "name": "own", "program": ["sh", "-c", "echo $# $ORCH_HOOK"],
                      "idle_known": false, "hooks": {"arguments": ["x", "y"]}})");
  Words words = kRunOwn;
  words.emplace_back("--no-hooks");
  const Outcome outcome = Program(workspace.orch(words)).finish();
  CHECK(check_ending(workspace, outcome, "exit", 0).transcript == "0\n");
}

TEST_CASE("a hook never troubles the agent") {
  const Workspace workspace;
  const std::string not_a_pipe = workspace.write("notices", "kept");
  for (const char* input : {"", "no json", "[1]", R"({"hook_event_name": "Stop"})"}) {
    for (const std::string& pipe :
         {std::string(), workspace.file("absent"), not_a_pipe, workspace.project()}) {
      CAPTURE(input, pipe);
      Launch launch = workspace.orch({"hook"});
      launch.input = input;
      if (!pipe.empty()) launch.env.push_back("ORCH_NOTICES=" + pipe);
      const Outcome outcome = Program(launch).finish();
      CHECK(outcome.code == 0);
      CHECK(outcome.out + outcome.err == "");
    }
  }
  CHECK(content_of(not_a_pipe) == "kept");
}
