#include "crew/crew_spec.h"

#include <catch2/catch.hpp>
#include <string>

using namespace orch::crew;

namespace {

const std::string kCrew = R"(version: 1
project: shop
agents:
  - name: planner
    role: plans the work
    cli: claude
    model: opus
    prompt: |
      You plan.
  - name: implementer
    cli: codex
    prompt_file: roles/implementer.md
    worktree: true
flow:
  max_hops: 4
  rules:
    - when: planner
      says: PLAN READY
      nudge: implementer
      text: Carry out PLAN.md.
)";

std::string error_of(const std::string& text) {
  const auto crew = read_crew(text, "crew.yaml");
  return crew ? "no error" : crew.error().text;
}

std::string with(const std::string& old, const std::string& now) {
  std::string text = kCrew;
  text.replace(text.find(old), old.size(), now);
  return text;
}

}  // namespace

TEST_CASE("a crew file is read whole") {
  const auto crew = read_crew(kCrew, "crew.yaml");
  REQUIRE(crew);
  CHECK(crew->project == "shop");
  REQUIRE(crew->agents.size() == 2);
  CHECK(crew->agents[0] == AgentSpec{.name = "planner",
                                     .role = "plans the work",
                                     .cli = "claude",
                                     .model = "opus",
                                     .effort = {},
                                     .prompt = "You plan.\n",
                                     .prompt_file = {},
                                     .cwd = {}});
  CHECK(crew->agents[1].worktree);
  CHECK(crew->agents[1].prompt_file == "roles/implementer.md");
  CHECK(crew->flow.max_hops == 4);
  REQUIRE(crew->flow.rules.size() == 1);
  CHECK(crew->flow.rules[0] ==
        FlowRule{"planner", "PLAN READY", "implementer", "Carry out PLAN.md."});
  CHECK(issue_of("shop", "planner") == "crew-shop-planner");
}

TEST_CASE("what is wrong with a crew file is told with its place") {
  CHECK(error_of(with("planner\n    role", "../x\n    role")) ==
        "crew.yaml:4:11: agents[0].name: must be letters, digits, _ and -, at most 28, and begin "
        "with a letter or digit");
  CHECK(error_of(with("planner\n    role", "a;rm -rf\n    role")).find("agents[0].name") !=
        std::string::npos);
  CHECK(error_of(with("planner\n    role", "user\n    role")) ==
        "crew.yaml:4:11: agents[0].name: no agent can be called user");
  CHECK(error_of(with("name: implementer", "name: planner")).find("two agents are called") !=
        std::string::npos);
  CHECK(error_of(with("project: shop", "project: $(id)")).find("project: must be letters") !=
        std::string::npos);
  CHECK(error_of(with("nudge: implementer", "nudge: nobody")) ==
        "crew.yaml:19:14: flow.rules[0].nudge: no agent is called nobody");
  CHECK(error_of(with("version: 1", "version: 2")).find("version") != std::string::npos);
  CHECK(error_of(with("    worktree: true", "    worktree: true\n    cwd: x")) ==
        "crew.yaml:13:15: agents[1].worktree: give worktree or cwd");
  CHECK(error_of(with("    model: opus", "    modell: opus")).find("modell") != std::string::npos);
  CHECK(error_of(with("    role: plans the work", "    role: \"a\\e[2J\"")).find("one line of") !=
        std::string::npos);
}

TEST_CASE("names of agents leave room for the session's name") {
  const std::string issue = issue_of(std::string(kMaxProject, 'p'), std::string(kMaxAgent, 'a'));
  CHECK(issue.size() <= 64);
}
