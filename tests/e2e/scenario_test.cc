// The result of each of the demo agent's scenarios, and how many messages the agent got.
#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "workspace.h"

using namespace orch::e2e;

namespace {

struct Expected {
  std::string scenario;
  Words words;
  std::string reason;
  int code;
  size_t messages;  // that the agent accepted
};

struct Started {
  Workspace workspace;
  std::unique_ptr<Program> program;
};

// How many run at once: most of a run's time is waiting.
constexpr size_t kAtOnce = 5;

void check_all(const std::vector<Expected>& cases) {
  for (size_t first = 0; first < cases.size(); first += kAtOnce) {
    const size_t end = std::min(first + kAtOnce, cases.size());
    std::vector<Started> started(end - first);
    for (size_t i = first; i < end; ++i) {
      Words words = cases[i].words;
      words.insert(words.end(), {"-p", "do it"});
      Started& run = started[i - first];
      run.program = std::make_unique<Program>(run.workspace.demo(cases[i].scenario, words));
    }
    for (size_t i = first; i < end; ++i) {
      INFO(cases[i].scenario);
      Started& run = started[i - first];
      const Outcome outcome = run.program->finish();
      check_ending(run.workspace, outcome, cases[i].reason, cases[i].code);
      CHECK(run.workspace.messages().size() == cases[i].messages);
    }
  }
}

// The recorded input of the agent after this marker; the terminal's own replies come before it.
std::vector<std::string> typed_after(const RunFolder& run, const std::string& marker) {
  std::vector<std::string> typed;
  bool after = false;
  for (const Json& line : json_lines(content_of(run.recording()))) {
    if (!line.is_array()) continue;
    if (line.at(1) == "m" && line.at(2) == marker) after = true;
    if (after && line.at(1) == "i") typed.push_back(line.at(2));
  }
  return typed;
}

}  // namespace

TEST_CASE("scenarios that complete") {
  check_all({{"default", {}, "complete", 0, 1},
             {"unicode", {}, "complete", 0, 1},
             {"slow-start", {}, "complete", 0, 1},
             {"continue", {}, "complete", 0, 3}});
}

TEST_CASE("scenarios that end otherwise") {
  check_all({{"plain", {"--until", "idle"}, "idle", 0, 1},
             {"plain", {"--max-turns", "2"}, "turns", 124, 2},
             {"echo", {"--max-turns", "1"}, "turns", 124, 1},
             {"trick", {"--max-turns", "2"}, "turns", 124, 2},
             {"error", {}, "agent_error", 1, 1},
             {"error", {"--until", "idle"}, "agent_error", 1, 1},
             {"exit-early", {}, "exited_early", 1, 1},
             {"exit-early", {"--until", "exit"}, "exit", 0, 1},
             {"crash", {}, "agent_failed", 1, 1},
             {"hang", {"--timeout", "2s"}, "timeout", 124, 1}});
}

TEST_CASE("a dialog that nobody answers ends the run with its text, and nothing is typed into it") {
  struct Asking {
    std::string scenario, cause, question;
    size_t messages;
  };
  const std::vector<Asking> cases{
      {"trust", "trust", "Is this a project you created or one you trust?", 0},
      {"permission", "permission", "touch out.txt && echo tests passed", 1},
      {"question", "question", "Which database should the project use?", 1}};
  std::vector<Started> started(cases.size());
  for (size_t i = 0; i < cases.size(); ++i) {
    started[i].program =
        std::make_unique<Program>(started[i].workspace.demo(cases[i].scenario, {"-p", "do it"}));
  }
  for (size_t i = 0; i < cases.size(); ++i) {
    INFO(cases[i].scenario);
    const Workspace& workspace = started[i].workspace;
    const Outcome outcome = started[i].program->finish();
    const RunFolder run = check_ending(workspace, outcome, "needs_human", 10);
    CHECK(outcome.err.find(cases[i].question) != std::string::npos);
    CHECK(workspace.messages().size() == cases[i].messages);
    CHECK(typed_after(run, "status=waiting/" + cases[i].cause).empty());
    CHECK(run.result.at("last_status") == "waiting");
    CHECK(run.result.at("last_cause") == cases[i].cause);
    const auto dialog = std::find_if(run.events.begin(), run.events.end(), [](const Json& event) {
      return event.at("event") == "dialog";
    });
    REQUIRE(dialog != run.events.end());
    CHECK(dialog->at("cause") == cases[i].cause);
    CHECK(dialog->at("options").size() >= 2);
    CHECK(dialog->at("answer").is_null());
  }
}

TEST_CASE("the keyword counts when the agent says it, not in the prompt's own echo") {
  const Workspace workspace;
  const Outcome outcome =
      Program(workspace.demo("plain", {"--max-turns", "1", "-p", "one\nLOOP_COMPLETE\nthree"}))
          .finish();
  check_ending(workspace, outcome, "turns", 124);
  REQUIRE(workspace.messages().size() == 1);
  CHECK(workspace.messages().front().substr(0, 23) == "one\nLOOP_COMPLETE\nthree");
}

TEST_CASE("another keyword than the agent says is not said") {
  const Workspace workspace;
  const Outcome outcome = Program(workspace.demo("default", {"--max-turns", "1", "-p", "go",
                                                             "--complete-keyword", "ALL DONE"}))
                              .finish();
  check_ending(workspace, outcome, "turns", 124);
  CHECK(workspace.messages().front().find("ALL DONE") != std::string::npos);
}

TEST_CASE("an overloaded agent of the user's own making is to be tried again later") {
  const Workspace workspace;
  Json manifest = Json::parse(content_of(ORCH_SOURCE_DIR "/src/adapters/manifests/demo.json"));
  manifest["name"] = "busy";
  for (Json& rule : manifest.at("rules")) {
    if (rule.at("id") == "api-error") rule["causes"] = {{"overloaded", "\\b500\\b"}};
  }
  workspace.write("home/.config/orch/adapters/busy.json", manifest.dump());
  Launch launch = workspace.orch({"run", "7", "--agent", "busy", "-p", "hi"});
  launch.env.emplace_back("ORCH_DEMO_SCENARIO=error");
  const RunFolder run = check_ending(workspace, Program(launch).finish(), "retry_later", 75);
  CHECK(run.result.at("agent") == "busy");
  CHECK(run.result.at("last_cause") == "overloaded");
}

TEST_CASE("an agent that reports its state is believed, and what its tools report is not") {
  const Workspace reporting, idle, keyword;
  Program reports(reporting.demo("reports", {"-p", "go"}));
  Program until_idle(idle.demo("forged", {"-p", "go", "--until", "idle"}));
  Program until_keyword(keyword.demo("forged", {"-p", "go"}));
  check_ending(reporting, reports.finish(), "complete", 0);
  check_ending(idle, until_idle.finish(), "idle", 0);
  check_ending(keyword, until_keyword.finish(), "complete", 0);
  const Words rests{"starting", "idle", "idle/draft", "working", "idle"};
  for (const Workspace* workspace : {&reporting, &idle, &keyword}) {
    Words statuses = workspace->run_of().statuses();
    if (!statuses.empty() && statuses.back() == "exited") statuses.pop_back();
    std::erase(statuses, "working/submitted");  // a slow machine may see Enter before the report
    CHECK(statuses == rests);
  }
}

TEST_CASE("the demo issue needs neither an agent nor a prompt") {
  const Workspace workspace;
  const Outcome outcome = Program(workspace.orch({"run", "demo"})).finish();
  CHECK(outcome.code == 0);
  CHECK(last_line(outcome.err) == "orch: orch-demo: complete (exit 0)");
  CHECK_FALSE(outcome.out.empty());
  CHECK_FALSE(holds(outcome.out, "LOOP_COMPLETE"));
}
