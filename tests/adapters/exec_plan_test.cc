#include "adapters/exec_plan.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "adapters/launch.h"

namespace orch::adapters {
namespace {

using Words = std::vector<std::string>;

const Registry& registry() {
  static const Registry kRegistry = Registry::load({}).value();
  return kRegistry;
}

ExecPlace host(Role role = Role::kWorker) {
  return {.role = role, .kind = ExecPlace::Kind::kHost, .workdir = "/repo", .variables = {}};
}

ExecPlace container() {
  return {.role = Role::kWorker,
          .kind = ExecPlace::Kind::kContainer,
          .workdir = "/workspace/project",
          .variables = {}};
}

ProviderConfig of_kind(const std::string& kind) {
  ProviderConfig config;
  config.kind = kind;
  return config;
}

WorkerCall with_prompt(const std::string& prompt) {
  WorkerCall call;
  call.prompt = prompt;
  return call;
}

base::Result<ExecPlan> plan(const std::string& kind, const WorkerCall& call,
                            const ExecPlace& place = host()) {
  return plan_exec(registry(), of_kind(kind), call, place);
}

std::string error_of(const base::Result<ExecPlan>& plan) {
  REQUIRE_FALSE(plan.ok());
  CHECK(plan.error().code == base::ErrorCode::kUsage);
  CHECK(plan.error().text.find('\n') == std::string::npos);
  return plan.error().text;
}

bool says(const std::string& text, const std::string& words) {
  INFO(text);
  return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("a codex worker has its model, its effort and its prompt on standard input") {
  const ExecPlan done = plan("codex-cli", with_prompt("fix it")).value();
  CHECK(done.command == "codex");
  CHECK(done.args == Words{"exec", "--json", "--skip-git-repo-check", "-c",
                           "model_reasoning_effort=medium", "--model", "gpt-5.2-codex", "-"});
  CHECK(done.input == "fix it");
  CHECK(done.workdir == "/repo");
}

TEST_CASE("in a container the agent's own sandbox is off, on the host only when that is said") {
  CHECK(plan("codex", with_prompt("x"), container()).value().args ==
        Words{"exec", "--json", "--skip-git-repo-check",
              "--dangerously-bypass-approvals-and-sandbox", "-c", "model_reasoning_effort=medium",
              "--model", "gpt-5.2-codex", "-"});
  WorkerCall call = with_prompt("x");
  call.tool_specific["docker_mode"] = true;
  CHECK(plan("codex", call).value().args == plan("codex", with_prompt("x"), container())->args);
  call.tool_specific["docker_mode"] = false;
  CHECK(plan("codex", call, container()).value().args == plan("codex", with_prompt("x"))->args);

  const ExecPlan claude = plan("claude", with_prompt("x"), container()).value();
  CHECK(std::find(claude.args.begin(), claude.args.end(), "--dangerously-skip-permissions") !=
        claude.args.end());
  CHECK(claude.env.at("IS_SANDBOX") == "1");
  CHECK_FALSE(plan("claude", with_prompt("x"))->env.contains("IS_SANDBOX"));
}

TEST_CASE("what a worker on the host is started with is what orch run --mode headless starts") {
  for (const char* kind : {"codex", "claude", "gemini", "opencode", "cursor"}) {
    INFO(kind);
    const Manifest& manifest = *registry().find(kind);
    LaunchRequest request;
    request.model = "m-1";
    request.program = "/opt/agent";
    request.flags = {"--further", "word"};
    ProviderConfig config = of_kind(kind);
    config.model = "m-1";
    config.cli_path = "/opt/agent";
    config.flags = {"--further", "word"};
    WorkerCall call = with_prompt("x");
    if (manifest.options.contains("effort")) request.effort = "medium";
    const LaunchPlan run = plan_headless(manifest, request, Allowed::kAsks).value();
    const ExecPlan done = plan_exec(registry(), config, call, host()).value();
    Words argv{done.command};
    argv.insert(argv.end(), done.args.begin(), done.args.end());
    CHECK(argv == run.argv);
    CHECK(done.env == run.env);
  }
}

TEST_CASE("a meta-agent answers as plain text and may do nothing") {
  CHECK(plan("codex-cli", with_prompt("plan"), host(Role::kMeta)).value().args ==
        Words{"exec", "--skip-git-repo-check", "--sandbox", "read-only", "-c",
              "model_reasoning_effort=medium", "--model", "gpt-5.2", "-"});
  const ExecPlan claude = plan("claude-cli", with_prompt("plan"), host(Role::kMeta)).value();
  CHECK(claude.args == Words{"-p", "--output-format", "text", "--tools", "", "--strict-mcp-config",
                             "--effort", "medium", "--model", "claude-haiku-4-5-20251001"});
  CHECK(claude.input == "plan");
  const ExecPlan gemini = plan("gemini-cli", with_prompt("plan"), host(Role::kMeta)).value();
  CHECK(gemini.args == Words{"-o", "text", "--skip-trust", "--approval-mode", "default"});
}

TEST_CASE("a call goes before its provider's configuration, that before the defaults") {
  ProviderConfig config = of_kind("codex");
  config.model = "5.1-codex-mini";
  config.effort = "low";
  config.flags = {"--one"};
  WorkerCall call = with_prompt("x");
  const auto planned = [&] { return plan_exec(registry(), config, call, host()).value().args; };
  CHECK(planned() == Words{"exec", "--json", "--skip-git-repo-check", "-c",
                           "model_reasoning_effort=low", "--model", "gpt-5.1-codex-mini", "--one",
                           "-"});
  call.model = "some/other:model";
  call.reasoning_effort = "high";
  call.flags = {"--two"};
  CHECK(planned() == Words{"exec", "--json", "--skip-git-repo-check", "-c",
                           "model_reasoning_effort=high", "--model", "some/other:model", "--one",
                           "--two", "-"});
  CHECK(plan("codex", with_prompt("x"), host(Role::kFast))->args[6] == "gpt-5.1-codex-mini");
}

TEST_CASE("of a variable that several set the call's holds, then the configuration's") {
  ProviderConfig config = of_kind("claude");
  CHECK(plan_exec(registry(), config, {}, host())->env.at("DISABLE_AUTOUPDATER") == "1");
  config.extra_env = {{"DISABLE_AUTOUPDATER", "0"}, {"KEY", "env:OURS"}, {"PLAIN", "p"}};
  WorkerCall call;
  ExecPlace place = host();
  place.variables = {{"OURS", "from-the-place"}};
  const ExecPlan configured = plan_exec(registry(), config, call, place).value();
  CHECK(configured.env.at("DISABLE_AUTOUPDATER") == "0");
  CHECK(configured.env.at("KEY") == "from-the-place");
  call.env = {{"KEY", "the call's"}};
  const ExecPlan called = plan_exec(registry(), config, call, place).value();
  CHECK(called.env.at("KEY") == "the call's");
  CHECK(called.env.at("PLAIN") == "p");
}

TEST_CASE("a variable that is to be looked up and is not there is named") {
  WorkerCall call;
  call.env = {{"KEY", "env:NOT_THERE"}};
  CHECK(says(error_of(plan("codex", call)), "NOT_THERE"));
  call.env = {{"A=B", "x"}};
  CHECK(says(error_of(plan("codex", call)), "A=B"));
}

TEST_CASE("what was looked up never stands on the command line") {
  ExecPlace place = host();
  place.variables = {{"OURS", "s3cret-value"}};
  WorkerCall call = with_prompt("x");
  call.env = {{"KEY", "env:OURS"}};
  call.flags = {"--api-key=s3cret-value"};
  const std::string error = error_of(plan("codex", call, place));
  CHECK(says(error, "KEY"));
  CHECK_FALSE(says(error, "s3cret-value"));
  call.flags.clear();
  call.use_stdin = false;
  call.prompt = "use s3cret-value";
  CHECK(says(error_of(plan("codex", call, place)), "KEY"));
}

TEST_CASE("what an agent has no word for is refused before anything runs") {
  WorkerCall call = with_prompt("x");
  call.reasoning_effort = "high";
  CHECK(says(error_of(plan("gemini", call)), "supports_effort"));
  call = with_prompt("x");
  call.temperature = 0.2;
  CHECK(says(error_of(plan("codex", call)), "temperature"));
  call = with_prompt("x");
  call.max_tokens = 100;
  CHECK(says(error_of(plan("claude", call)), "max_tokens"));
  CHECK(says(error_of(plan("demo", with_prompt("x"))), "supports_non_interactive"));
  CHECK(says(error_of(plan("nobody", with_prompt("x"))), "\"nobody\""));
}

TEST_CASE("an agent of the user's own is planned for as well") {
  const std::string text = R"({
    "manifest": 1, "name": "mine", "program": ["mine"],
    "options": {"temperature": ["-t", "{}"], "max_tokens": ["-n", "{}"], "model": ["-m{}"]},
    "headless": {"arguments": ["go", "{options}"]},
    "task": {"aliases": ["my-own"], "models": {"worker": "w"}}
  })";
  const ManifestFile file{"mine.json", text, {}};
  const Registry mine = Registry::load(std::span(&file, 1)).value();
  WorkerCall call = with_prompt("x");
  call.temperature = 0.5;
  call.max_tokens = 100;
  const ExecPlan done = plan_exec(mine, of_kind("my-own"), call, host()).value();
  CHECK(done.args == Words{"go", "-mw", "-t", "0.5", "-n", "100"});
  CHECK(says(error_of(plan_exec(mine, of_kind("mine"), call, host(Role::kMeta))), "task.text"));
  CHECK(says(error_of(plan_exec(mine, of_kind("mine"), call, container())), "task.contained"));
}

TEST_CASE("a manifest's task section is read as a person may have mistyped it") {
  const auto error_of = [](const std::string& task) {
    const base::Result<Manifest> manifest = parse_manifest(
        R"({"manifest": 1, "name": "own", "program": ["own"], "task": )" + task + "}", "own.json");
    REQUIRE_FALSE(manifest.ok());
    return manifest.error().text;
  };
  CHECK(
      says(error_of(R"({"text_prompt": ["go"]})"), "own.json: task.text_prompt: has no {prompt}"));
  CHECK(says(error_of(R"({"models": {"boss": "m"}})"), "task.models"));
  CHECK(says(error_of(R"({"shorthands": ["m"]})"), "task.shorthands: must be an object"));
  CHECK(says(error_of(R"({"aliases": "one"})"), "task.aliases"));
}

TEST_CASE("tool_specific takes what is known, as true or false") {
  WorkerCall call = with_prompt("x");
  call.tool_specific["dockermode"] = true;
  CHECK(says(error_of(plan("codex", call)), "dockermode"));
  call.tool_specific = {{"json_output", "no"}};
  CHECK(says(error_of(plan("codex", call)), "json_output"));
  call.tool_specific = {{"json_output", false}};
  CHECK(plan("codex", call).value().args[1] == "--skip-git-repo-check");
}

TEST_CASE("without standard input the prompt is one argument, and a short one") {
  WorkerCall call = with_prompt("--yolo; $(touch x) 'and' \"so\"\non");
  call.use_stdin = false;
  const ExecPlan codex = plan("codex", call).value();
  CHECK(codex.args[codex.args.size() - 2] == "--");
  CHECK(codex.args.back() == call.prompt);
  CHECK(codex.input.empty());
  CHECK(plan("gemini", call).value().args.back() == "--prompt=" + call.prompt);
  CHECK(says(error_of(plan("cursor", call)), "dash"));
  CHECK(says(error_of(plan("opencode", call)), "standard input"));
  call.prompt = std::string(kMostPromptArgument, 'x');
  CHECK(plan("codex", call).ok());
  call.prompt += 'x';
  CHECK(says(error_of(plan("codex", call)), "100001"));
}

TEST_CASE("a prompt of 200 KB with everything in it passes on standard input as it is") {
  std::string prompt = "$(touch x) `id` 'q' \"q\" \x1b[31m\n{text} {prompt} {options}\n";
  while (prompt.size() < 200'000) prompt += prompt;
  CHECK(plan("codex", with_prompt(prompt)).value().input == prompt);
  const ExecPlan claude = plan("claude", with_prompt(prompt)).value();
  CHECK(base::Json::parse(claude.input)["message"]["content"] == prompt);
  CHECK(std::count(claude.input.begin(), claude.input.end(), '\n') == 1);
}

TEST_CASE("a value that could be taken for an option, or a prompt for a command, is refused") {
  WorkerCall call = with_prompt("x");
  call.model = "--yolo";
  CHECK(says(error_of(plan("gemini", call)), "--yolo"));
  CHECK(says(error_of(plan("claude", with_prompt("\n /clear now"))), "\"/\""));
  CHECK(says(error_of(plan("gemini", with_prompt("@secret"))), "\"@\""));
  call = with_prompt("x");
  call.flags = {std::string("a\0b", 3)};
  CHECK(says(error_of(plan("codex", call)), "NUL"));
}

TEST_CASE("a call works in the place's folder or below it") {
  WorkerCall call = with_prompt("x");
  const auto workdir = [&] { return plan("codex", call, container()); };
  call.workdir = "sub/./folder/";
  CHECK(workdir().value().workdir == "/workspace/project/sub/folder");
  call.workdir = "/workspace/project/sub";
  CHECK(workdir().value().workdir == "/workspace/project/sub");
  for (const char* outside :
       {"/workspace", "/etc", "../other", "sub/../..", "/workspace/projects"}) {
    INFO(outside);
    call.workdir = outside;
    CHECK(says(error_of(workdir()), "workdir"));
  }
}

}  // namespace orch::adapters
