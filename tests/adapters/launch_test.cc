#include "adapters/launch.h"

#include <catch2/catch.hpp>

#include "adapters/registry.h"

namespace orch::adapters {
namespace {

using Words = std::vector<std::string>;

Manifest sample() {
  Manifest manifest;
  manifest.name = "sample";
  manifest.program = {"sample", "--plain"};
  manifest.options = {{"model", {"--model", "{}"}}, {"effort", {"-c", "effort={}"}}};
  manifest.env = {{"SAMPLE", "1"}};
  return manifest;
}

LaunchRequest with_model(const std::string& model) {
  LaunchRequest request;
  request.model = model;
  return request;
}

}  // namespace

TEST_CASE("Without options the program is started as it is") {
  const base::Result<LaunchPlan> plan = plan_launch(sample(), {});
  REQUIRE(plan.ok());
  CHECK(plan->argv == Words{"sample", "--plain"});
  CHECK(plan->env == std::map<std::string, std::string>{{"SAMPLE", "1"}});
}

TEST_CASE("An option's value fills the hole in its words, as one word") {
  LaunchRequest request = with_model("big one; rm -rf {}");
  request.effort = "high";
  const base::Result<LaunchPlan> plan = plan_launch(sample(), request);
  REQUIRE(plan.ok());
  CHECK(plan->argv ==
        Words{"sample", "--plain", "-c", "effort=high", "--model", "big one; rm -rf {}"});
}

TEST_CASE("An option that the agent has no word for is refused by name") {
  LaunchRequest request;
  request.system_prompt = "Be brief.";
  const base::Result<LaunchPlan> plan = plan_launch(sample(), request);
  REQUIRE_FALSE(plan.ok());
  CHECK(plan.error().code == base::ErrorCode::kUsage);
  CHECK(plan.error().text == "agent sample has no option for system_prompt");
}

TEST_CASE("A command is started as it was given") {
  const base::Result<Registry> registry = Registry::load({});
  const Manifest& command = *registry->find("command");
  LaunchRequest request;
  request.command = {"printf", "%s\n", "a b", ""};
  const base::Result<LaunchPlan> plan = plan_launch(command, request);
  REQUIRE(plan.ok());
  CHECK(plan->argv == request.command);
}

TEST_CASE("A command without words is refused, and so is a model for it") {
  const base::Result<Registry> registry = Registry::load({});
  const Manifest& command = *registry->find("command");
  CHECK(plan_launch(command, {}).error().text ==
        "agent command: no command given; put it after --");
  LaunchRequest request = with_model("big");
  request.command = {"true"};
  CHECK(plan_launch(command, request).error().text == "agent command has no option for model");
}

TEST_CASE("The agents of the binary take a model where they have a word for it") {
  const base::Result<Registry> registry = Registry::load({});
  for (const char* name : {"claude", "codex", "gemini"}) {
    const base::Result<LaunchPlan> plan = plan_launch(*registry->find(name), with_model("m-1"));
    REQUIRE(plan.ok());
    CHECK(plan->argv.front() == name);
    CHECK(plan->argv[plan->argv.size() - 2] == "--model");
    CHECK(plan->argv.back() == "m-1");
  }
}

}  // namespace orch::adapters
