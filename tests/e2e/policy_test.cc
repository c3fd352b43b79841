// Dialogs that a policy answers, and those that it does not.
#include <catch2/catch.hpp>

#include "workspace.h"

using namespace orch::e2e;

namespace {

// The dialog records of a run: [title, answer, by].
std::vector<Json> dialogs_of(const RunFolder& run) {
  std::vector<Json> found;
  for (const Json& event : run.events) {
    if (event.at("event") == "dialog") {
      found.push_back({event.at("title"), event.at("answer"), event.at("by")});
    }
  }
  return found;
}

}  // namespace

TEST_CASE("--approve all allows a command once, and the run goes on") {
  const Workspace workspace;
  const Outcome outcome = Program(workspace.demo("permission", {"--approve", "all"})).finish();
  const RunFolder run = check_ending(workspace, outcome, "complete", 0);
  CHECK(dialogs_of(run) == std::vector<Json>{{"Bash command", "Yes", "policy:all"}});
  CHECK(run.transcript.find("The tests passed.") != std::string::npos);
}

TEST_CASE("--approve all trusts the folder; the prompt comes after that") {
  const Workspace workspace;
  const Outcome outcome = Program(workspace.demo("trust", {"--approve", "all"})).finish();
  const RunFolder run = check_ending(workspace, outcome, "complete", 0);
  CHECK(dialogs_of(run).size() == 1);
  CHECK(workspace.messages().size() == 1);
}

TEST_CASE("a policy's rules decide, and each decision names its rule") {
  const Workspace workspace;
  const std::string policy = workspace.write("policy.json", R"({"default": "all", "rules": [
      {"name": "no-touch", "kind": "permission", "command": "^touch ", "answer": "deny"}]})");
  const Outcome outcome =
      Program(workspace.demo("permission", {"--approve", policy, "--until", "idle"})).finish();
  const RunFolder run = check_ending(workspace, outcome, "idle", 0);
  CHECK(dialogs_of(run) == std::vector<Json>{{"Bash command", "No", "rule:no-touch"}});
  CHECK(run.transcript.find("Understood, I did not run it.") != std::string::npos);
}

TEST_CASE("what no policy answers needs a human: at once, or after --ask-timeout") {
  const Workspace workspace;
  const Outcome outcome = Program(workspace.demo("question", {"--approve", "all"})).finish();
  const RunFolder run = check_ending(workspace, outcome, "needs_human", 10);
  CHECK(dialogs_of(run) == std::vector<Json>{{"Database", nullptr, "policy:all"}});

  const Workspace patient;
  Program asked(patient.demo("permission", {"--ask-timeout", "1m", "--output", "json"}));
  asked.wait_for_output("\"event\":\"dialog\"");
  REQUIRE(Program(patient.orch({"keys", "7", "1"})).finish().code == 0);
  check_ending(patient, asked.finish(), "complete", 0);
}

TEST_CASE("a policy that cannot be read ends the command before anything starts") {
  const Workspace workspace;
  const std::string wrong = workspace.write("policy.json", R"({"rules": [{"command": "("}]})");
  for (const std::string& file : {wrong, workspace.file("missing.json")}) {
    const Outcome outcome = Program(workspace.demo("default", {"--approve", file})).finish();
    CHECK(outcome.code == 2);
    CHECK(lines_of(outcome.err).size() == 1);
    CHECK(outcome.err.find(file) != std::string::npos);
  }
  CHECK_FALSE(workspace.has_state());
}

TEST_CASE("a session is reset: its conversation is cleared, its messages go on") {
  const Workspace workspace;
  REQUIRE(Program(workspace.demo("echo", {"-d", "--until", "exit"})).finish().code == 0);
  REQUIRE(Program(workspace.orch({"send", "7", "one", "--wait", "idle"})).finish().code == 0);
  const Outcome reset = Program(workspace.orch({"reset", "7"})).finish();
  CHECK(reset.code == 0);
  CHECK(reset.out == "cleared\n");
  CHECK(Program(workspace.orch({"send", "7", "two", "--wait", "idle"})).finish().code == 0);
  CHECK(workspace.messages() == std::vector<std::string>{"one", "two"});
  Program(workspace.orch({"kill", "7", "--now"})).finish();
}

TEST_CASE("a reset right after keys waits for them, and they not for it") {
  const Workspace workspace;
  REQUIRE(Program(workspace.demo("echo", {"-d", "--until", "exit"})).finish().code == 0);
  REQUIRE(Program(workspace.orch({"wait", "7"})).finish().code == 0);
  REQUIRE(Program(workspace.orch({"keys", "7", "Escape", "Escape"})).finish().code == 0);
  const Outcome reset = Program(workspace.orch({"reset", "7"})).finish();
  CHECK(reset.code == 0);
  CHECK(reset.out == "cleared\n");  // if it could not be cleared in time it would be restarted
  Program(workspace.orch({"kill", "7", "--now"})).finish();
}

TEST_CASE("an agent at work that is silent and shows no life is stuck, and the evidence is kept") {
  const Workspace workspace;
  const Outcome outcome =
      Program(workspace.shell("echo begun; exec sleep 1000", {"--idle-timeout", "1s"})).finish();
  const RunFolder run = check_ending(workspace, outcome, "stuck", 124);
  const std::string evidence = run.result.at("evidence");
  CHECK(evidence.find("0 child processes, 0 ms of CPU used in 2 s") == 0);
}

TEST_CASE("one whose children are at work is not") {
  const Workspace workspace;
  const Outcome outcome =
      Program(workspace.shell("count() { n=0; while [ $n -lt 1500000 ]; do n=$((n+1)); done; }; "
                              "count & count & count & count & wait",
                              {"--idle-timeout", "1s"}))
          .finish();
  check_ending(workspace, outcome, "exit", 0);
}
