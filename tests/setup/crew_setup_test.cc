// What orch crew up makes of its words and of the crew file.
#include "setup/crew_setup.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "scene.h"

using namespace orch;
using namespace orch::setup;

namespace {

constexpr const char* kTwo =
    "version: 1\nproject: shop\nagents:\n"
    "  - {name: planner, role: plans, cli: demo, prompt: Plan it.}\n"
    "  - {name: writer, cli: demo, prompt_file: writer.md}\n";

}  // namespace

TEST_CASE("each agent of a crew file is told who it is, whom it works with, and its own prompt") {
  const Scene scene;
  const std::string file = scene.write("repository/crew.yaml", kTwo);
  scene.write("repository/writer.md", "Write it.\n");
  const auto crew = wanted_crew(file, {});
  REQUIRE(crew);
  REQUIRE(crew->agents.size() == 2);
  const std::string& planner = crew->agents[0].prompt;
  const std::string& writer = crew->agents[1].prompt;
  CHECK(
      planner.starts_with("You are planner (plans) in crew shop, which orch runs. "
                          "With you work writer. "));
  CHECK(planner.ends_with("\n\nPlan it."));
  CHECK(writer.find("With you work planner (plans). ") != std::string::npos);
  CHECK(writer.ends_with("\n\nWrite it.\n"));
}

TEST_CASE("a prompt file is not read through a link, or from above the crew file") {
  const Scene scene;
  const std::string file = scene.write("repository/crew.yaml", kTwo);
  const std::string outside = scene.write("secret.md", "secret");
  REQUIRE(::symlink(outside.c_str(), scene.file("repository/writer.md").c_str()) == 0);
  const auto linked = wanted_crew(file, {});
  REQUIRE_FALSE(linked);
  CHECK(linked.error().code == base::ErrorCode::kUsage);
  CHECK(linked.error().text.starts_with("agent writer: prompt_file: "));
  std::string text = kTwo;
  text.replace(text.find("writer.md"), 9, "../secret.md");
  CHECK_FALSE(wanted_crew(scene.write("repository/crew.yaml", text), {}));
}

TEST_CASE("without a file the crew that was up comes back, and one that was not is an error") {
  crew::CrewState before;
  before.project = "shop";
  before.up = true;
  before.members.resize(1);
  before.members[0].spec.name = "planner";
  before.members[0].spec.prompt = "as it was told";
  const auto again = wanted_crew("", before);
  REQUIRE(again);
  CHECK(again->project == "shop");
  CHECK(again->agents.at(0).prompt == "as it was told");
  before.up = false;
  CHECK(wanted_crew("", before).error().text.find("there is no crew.yaml here") !=
        std::string::npos);
}

TEST_CASE(
    "the crew file is the one that was named, else crew.yaml here or in the project's folder") {
  const Scene scene;
  const client::Place place{scene.file("state"), scene.file("repository/deep"), scene.repository()};
  CrewOptions options;
  CHECK(crew_file(options, place).empty());
  const std::string above = scene.write("repository/crew.yaml", kTwo);
  CHECK(crew_file(options, place) == above);
  const std::string here = scene.write("repository/deep/crew.yaml", kTwo);
  CHECK(crew_file(options, place) == here);
  options.file = "../team.yaml";
  CHECK(crew_file(options, place) == scene.file("repository/team.yaml"));
  options.file = "-";
  CHECK(crew_file(options, place) == "-");
}

TEST_CASE("what a crew may take is read, and a wrong word is named") {
  CrewOptions options;
  CHECK(crew_budget(options)->tokens == 0);
  options.crew_max_tokens = "200000";
  options.crew_max_cost = "1.50";
  const auto budget = crew_budget(options);
  REQUIRE(budget);
  CHECK(budget->tokens == 200'000);
  CHECK(budget->cost_usd == Approx(1.5));
  options.crew_max_cost = "much";
  CHECK(crew_budget(options).error().text.starts_with("--crew-max-cost "));
}

TEST_CASE("crews of one name in two repositories have multiplexer sessions of their own") {
  const std::string one = crew_session("shop", "/a"), other = crew_session("shop", "/b");
  CHECK(one.starts_with("crew-shop@"));
  CHECK(one != other);
}
