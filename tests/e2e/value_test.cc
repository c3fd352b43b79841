// --output-schema: a run whose result is a JSON value.
#include <catch2/catch.hpp>
#include <filesystem>

#include "script_agent.h"
#include "workspace.h"

using namespace orch::e2e;

namespace {

constexpr const char* kSchema =
    R"({"type": "object", "required": ["sum"], "properties": {"sum": {"type": "integer"}}})";

// A run of the agent "counter" that wants a value.
Outcome count(const Workspace& workspace, Words words = {}) {
  workspace.write("schema.json", kSchema);
  Words all{"run",      "7",  "--agent",  "counter",         "--mode",
            "headless", "-p", "add them", "--output-schema", workspace.file("schema.json")};
  all.insert(all.end(), words.begin(), words.end());
  return run_orch(workspace, std::move(all));
}

}  // namespace

TEST_CASE("a value that fits the schema is the whole standard output, and in result.json") {
  const Workspace workspace;
  install_agent(workspace, "counter", "printf '%s' \"$message\" > got; finish '{\\\"sum\\\": 3}'");
  const Outcome outcome = count(workspace);
  const RunFolder run = check_ending(workspace, outcome, "complete", 0);
  CHECK(outcome.out == "{\"sum\":3}\n");
  CHECK(run.result.at("output") == Json{{"sum", 3}});
  CHECK(run.result.at("gates")[0].at("command") == "--output-schema");
  const std::string prompt = content_of(workspace.project() + "/got");
  INFO(prompt);
  CHECK(holds(prompt, "add them\n\nYour last words in the end have to be one JSON value"));
  CHECK(holds(prompt, "\"required\":[\"sum\"]"));
  CHECK(holds(prompt, "say LOOP_COMPLETE"));
}

TEST_CASE("the error goes back into the conversation, up to --fix-turns") {
  const Workspace workspace;
  install_agent(workspace, "counter",
                "printf '%s\\n' \"$message\" >> got\n"
                "case $message in *'do not fit'*) finish '{\\\"sum\\\": 3}';; "
                "*) finish '{\\\"sum\\\": \\\"x\\\"}';; esac");
  const std::string fix_turns = GENERATE("0", "1");
  const Outcome outcome = count(workspace, {"--fix-turns", fix_turns});
  INFO(outcome.err);
  if (fix_turns == "0") {
    const RunFolder run = check_ending(workspace, outcome, "gate_failed", 20);
    CHECK(outcome.out == "");
    CHECK(holds(outcome.err, "--output-schema: /sum: \"x\" is not of type integer"));
    CHECK(run.result.at("output").is_null());
    return;
  }
  check_ending(workspace, outcome, "complete", 0);
  CHECK(outcome.out == "{\"sum\":3}\n");
  CHECK(holds(outcome.err, "fix turn 1 of 1"));
  CHECK(holds(content_of(workspace.project() + "/got"),
              "Your last words do not fit the schema yet: /sum: \"x\" is not of type integer."));
}

TEST_CASE("a schema that orch cannot check is refused before anything starts") {
  const Workspace workspace;
  install_agent(workspace, "counter", "touch started; finish 1");
  struct Row {
    std::string schema, said;
  };
  const Row row = GENERATE(Row{R"({"format": "date"})", "format is no keyword that orch checks"},
                           Row{"{", "the schema is not JSON"});
  workspace.write("other.json", row.schema);
  const Outcome outcome =
      run_orch(workspace, {"run", "7", "--agent", "counter", "--mode", "headless", "-p", "x",
                           "--output-schema", workspace.file("other.json")});
  INFO(outcome.err);
  CHECK(outcome.code == 2);
  CHECK(holds(outcome.err, "orch: --output-schema: "));
  CHECK(holds(outcome.err, row.said));
  CHECK_FALSE(std::filesystem::exists(workspace.project() + "/started"));
}

TEST_CASE("an agent on a terminal is asked for the value, too") {
  const Workspace workspace;
  workspace.write("schema.json", R"({"type": "object"})");
  const Outcome outcome =
      Program(workspace.demo("default", {"--output-schema", workspace.file("schema.json")}))
          .finish();
  const RunFolder run = check_ending(workspace, outcome, "gate_failed", 20);
  CHECK(holds(outcome.err, "--output-schema: the last words are no JSON value"));
}

TEST_CASE("the keyword is not among the words on standard output, unless it is wanted") {
  const Workspace workspace;
  install_agent(workspace, "counter", "finish");
  const bool is_kept = GENERATE(false, true);
  Words words{"run", "7", "--agent", "counter", "--mode", "headless", "-p", "x"};
  if (is_kept) words.push_back("--keep-keyword");
  const Outcome outcome = run_orch(workspace, words);
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(holds(outcome.out, "Done."));
  CHECK(holds(outcome.out, "LOOP_COMPLETE") == is_kept);
  CHECK(holds(run_orch(workspace, {"logs", "7"}).out, "\nLOOP_COMPLETE\n") == is_kept);
  CHECK(holds(workspace.run_of().transcript, "LOOP_COMPLETE"));
}
