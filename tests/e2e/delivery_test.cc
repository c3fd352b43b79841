// The agent gets the message once and completely, or the run says that it did not.
#include <catch2/catch.hpp>
#include <memory>

#include "workspace.h"

using namespace orch::e2e;

namespace {

struct Fault {
  std::string scenario, reason;
  int code;
  size_t messages;   // how many the agent got
  std::string says;  // a part of the last line on stderr
};

}  // namespace

TEST_CASE("whatever goes wrong with the first message, the agent gets it once or not at all") {
  const std::vector<Fault> faults{
      {"swallow-enter", "complete", 0, 1, ""},
      {"late-repaint", "complete", 0, 1, ""},
      {"lose-paste", "stuck", 124, 0, "the text did not appear in the input box"},
      {"dialog-on-paste", "needs_human", 10, 0, "Settings changed"},
      {"die-on-paste", "agent_failed", 1, 0, "the agent exited with 1"}};
  std::vector<Workspace> workspaces(faults.size());
  std::vector<std::unique_ptr<Program>> programs;
  for (size_t i = 0; i < faults.size(); ++i) {
    programs.push_back(
        std::make_unique<Program>(workspaces[i].demo(faults[i].scenario, {"-p", "write a haiku"})));
  }
  for (size_t i = 0; i < faults.size(); ++i) {
    INFO(faults[i].scenario);
    const Outcome outcome = programs[i]->finish();
    check_ending(workspaces[i], outcome, faults[i].reason, faults[i].code);
    CHECK(workspaces[i].messages().size() == faults[i].messages);
    CHECK(last_line(outcome.err).find(faults[i].says) != std::string::npos);
  }
}

TEST_CASE("where output comes late a message is entered once, and no dialog is answered") {
  const std::vector<std::string> lags{"1000", "3000", "4500"};
  std::vector<Workspace> workspaces(lags.size());
  std::vector<std::unique_ptr<Program>> programs;
  for (size_t i = 0; i < lags.size(); ++i) {
    Launch launch = workspaces[i].demo("permission", {"--approve", "none", "-p", "run the tests"});
    launch.env.push_back("ORCH_DEMO_LAG=" + lags[i]);
    programs.push_back(std::make_unique<Program>(launch));
  }
  for (size_t i = 0; i < lags.size(); ++i) {
    INFO("output comes " << lags[i] << " ms late");
    const RunFolder run = check_ending(workspaces[i], programs[i]->finish(), "needs_human", 10);
    CHECK(workspaces[i].messages().size() == 1);
    CHECK(run.transcript.find("The tests passed.") == std::string::npos);
    for (const Json& event : run.events) {
      if (event.at("event") == "message" && event.contains("enters")) {
        CHECK(event.at("enters") == 1);
      }
    }
  }
}

TEST_CASE("the agent gets every character of the prompt, and the completion instruction") {
  const Workspace workspace;
  const std::string prompt =
      "  two blanks first,\n\ttabs, “quotes”, 日本語 and café;\n\n```\n$ rm -rf \"$HOME\" `x` \\n\n"
      "```\n- » not a prompt\n- Do you want to proceed? 1. Yes";
  const std::string file = workspace.write("prompt.md", prompt);
  const Outcome outcome = Program(workspace.demo("default", {"--prompt-file", file})).finish();
  const RunFolder run = check_ending(workspace, outcome, "complete", 0);
  REQUIRE(workspace.messages().size() == 1);
  const std::string message = workspace.messages().front();
  CHECK(message.substr(0, prompt.size() + 2) == prompt + "\n\n");
  CHECK(message.find("LOOP_COMPLETE", prompt.size()) != std::string::npos);
  CHECK(content_of(run.path + "/prompt.md") == message);
}

TEST_CASE("a prompt of many screens arrives whole") {
  const Workspace workspace;
  std::string prompt;
  for (int i = 0; i < 2000; ++i) prompt += "requirement " + std::to_string(i) + " of many\n";
  Launch launch = workspace.demo("plain", {"--until", "idle", "--prompt-file", "-"});
  launch.input = prompt;
  check_ending(workspace, Program(launch).finish(), "idle", 0);
  CHECK(workspace.messages() == Words{prompt});
}

TEST_CASE("an issue's own file is its prompt") {
  const Workspace workspace;
  workspace.write("project/.orch/issues/7.md", "the seventh issue");
  check_ending(workspace,
               Program(workspace.orch({"run", "7", "--agent", "demo", "--until", "idle"})).finish(),
               "idle", 0);
  // The file takes precedence over the demo agent's built-in prompt.
  CHECK(workspace.messages() == Words{"the seventh issue"});
}

TEST_CASE("each phase of a message is told, in order") {
  const Workspace workspace;
  Program(workspace.demo("plain", {"--max-turns", "2", "-p", "go"})).finish();
  std::vector<std::string> phases;
  for (const Json& event : workspace.run_of().events) {
    if (event.at("event") == "turn") {
      phases.push_back("turn " + event.at("n").dump() + " " + event.at("phase").get<std::string>());
    }
    if (event.at("event") != "message") continue;
    phases.push_back(event.at("id").get<std::string>() + " " +
                     event.at("phase").get<std::string>());
  }
  CHECK(phases == Words{"m1 queued", "m1 sent", "m1 accepted", "turn 1 began", "turn 1 ended",
                        "m2 queued", "m2 sent", "m2 accepted", "turn 2 began", "turn 2 ended"});
}
