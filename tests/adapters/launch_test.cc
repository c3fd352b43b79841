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
  CHECK(plan.error().text ==
        "agent sample cannot be given a system prompt (supports_system_prompt is false); see orch "
        "agents show");
}

TEST_CASE("orch's MCP server is given by words and variables, its paths as strings of JSON") {
  Manifest manifest = sample();
  manifest.mcp.arguments = {"-c", "servers.{name}={command}"};
  manifest.mcp.env = {{"SERVERS", R"({"{name}":{words}})"}};
  manifest.mcp.own = true;
  manifest.mcp.own_arguments = {"--trust", "orch"};
  CHECK(plan_launch(manifest, {})->env.count("SERVERS") == 0);

  LaunchRequest request;
  request.mcp_program = R"(/opt/my "tools"/orch)";
  request.mcp_state_dir = "/state";
  const base::Result<LaunchPlan> plan = plan_launch(manifest, request);
  REQUIRE(plan.ok());
  CHECK(plan->argv == Words{"sample", "--plain", "-c", R"(servers.orch="/opt/my \"tools\"/orch")",
                            "--trust", "orch"});
  CHECK(plan->env.at("SERVERS") ==
        R"({"orch":["/opt/my \"tools\"/orch","mcp","--state-dir","/state"]})");
  manifest.mcp.own = false;
  CHECK(plan_launch(manifest, request)->env.count("SERVERS") == 0);
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
  CHECK(plan_launch(command, request).error().text.find("supports_model") != std::string::npos);
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

namespace {

const std::string kId = "01a207b3-34e3-7eb2-97ca-8fe0f9a4e97e";
const std::string kNewId = "11111111-2222-4333-8444-555555555555";

Manifest with_sessions() {
  Manifest manifest = sample();
  manifest.session = {{"--session", "{}"}, {"resume", "{}", "--plainly"}};
  return manifest;
}

}  // namespace

TEST_CASE("each start of an agent that is told its session has an id of its own, behind all else") {
  const Manifest manifest = with_sessions();
  LaunchPlan plan = plan_launch(manifest, with_model("m")).value();
  set_session(manifest.session, SessionStart::kAsPlanned, kNewId, plan);
  CHECK(plan.session == kNewId);
  plan.argv.push_back("--hook");
  CHECK(whole_argv(plan) ==
        Words{"sample", "--plain", "--model", "m", "--hook", "--session", kNewId});
  CHECK(told_argv(plan) == whole_argv(plan));
  set_session(manifest.session, SessionStart::kEmpty, kId, plan);
  CHECK(plan.session == kId);
  CHECK(whole_argv(plan).back() == kId);
}

TEST_CASE("a session is taken up by the agent's own words, and an empty one begins another") {
  const Manifest manifest = with_sessions();
  LaunchRequest request;
  request.resume = kId;
  LaunchPlan plan = plan_launch(manifest, request).value();
  set_session(manifest.session, SessionStart::kAsPlanned, kNewId, plan);
  CHECK(plan.session == kId);
  CHECK(whole_argv(plan) == Words{"sample", "--plain", "resume", kId, "--plainly"});
  set_session(manifest.session, SessionStart::kEmpty, kNewId, plan);
  CHECK(plan.session == kNewId);
  CHECK(whole_argv(plan) == Words{"sample", "--plain", "--session", kNewId});
}

TEST_CASE("an agent that chooses its sessions' ids itself has none until it says so") {
  Manifest manifest = with_sessions();
  manifest.session.begin.clear();
  LaunchPlan plan = plan_launch(manifest, {}).value();
  set_session(manifest.session, SessionStart::kAsPlanned, kNewId, plan);
  CHECK(plan.session.empty());
  CHECK(whole_argv(plan) == Words{"sample", "--plain"});
}

TEST_CASE("what is no id of a session reaches no command line, and not every agent resumes") {
  LaunchRequest request;
  request.resume = "--yolo";
  CHECK(plan_launch(with_sessions(), request).error().text.find("not a session") !=
        std::string::npos);
  request.resume = kId;
  const base::Result<LaunchPlan> plan = plan_launch(sample(), request);
  REQUIRE_FALSE(plan.ok());
  CHECK(plan.error().text.find("session.resume") != std::string::npos);
}

TEST_CASE("claude, codex, gemini and opencode take up their sessions") {
  const base::Result<Registry> registry = Registry::load({});
  for (const char* name : {"claude", "codex", "gemini", "opencode", "demo"}) {
    INFO(name);
    CHECK(check_resumes(*registry->find(name)).ok());
  }
  CHECK_FALSE(check_resumes(*registry->find("command")).ok());
}

}  // namespace orch::adapters
