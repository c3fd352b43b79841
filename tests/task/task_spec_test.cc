#include "task/task_spec.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "task_rig.h"
#include "yaml/document.h"

using namespace orch::task;

namespace {

constexpr const char* kRunner =
    "runner: {meta: {kind: scripted, script: [a]}, worker: {kind: demo}}\n";
const std::string kHead = "id: a\nprd: p\n";

std::string error_of(const std::string& text) {
  const auto spec = parse_task_spec(text, "task.yaml");
  return spec ? "no error" : spec.error().text;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

const std::string kDocs = ORCH_SOURCE_DIR "/docs/";

}  // namespace

TEST_CASE("a task file says all of a task") {
  const TaskSpec spec = spec_of(R"(version: 1
id: port-42
title: "Port it: now"
repo: ../other
prd: {file: prd.md}
test: {command: "make -j2 test", timeout: 90s}
runner:
  meta:
    kind: openai-chat
    model: gpt-5.2
    effort: high
    base_url: http://127.0.0.1:8080/v1
    timeout: 2m
  worker:
    kind: codex
    model: gpt-5.1-codex-mini
    effort: low
    cli_path: /opt/codex
    flags: [--search, "a b"]
    env: {TOKEN: env:MY_TOKEN, MODE: "1"}
    tool_specific: {docker_mode: true}
    mode: headless
    max_loops: 4
    timeout: 30m
    allow: [prompt, model, workdir]
  sandbox:
    kind: podman
    image: debian:12
    network: none
    mounts: ["/data:/data:ro", "~/.cache:/cache"]
    memory: 2g
    cpus: 1.5
    pids: 200
budget: {time: 2h, tokens: 100000, cost: 2.5}
)");
  CHECK(spec.id == "port-42");
  CHECK(spec.title == "Port it: now");
  CHECK(spec.repo == "../other");
  CHECK(spec.prd.file == "prd.md");
  CHECK(spec.test.command == "make -j2 test");
  CHECK(spec.test.timeout_ms == 90'000);
  CHECK(spec.meta.provider.kind == "openai-chat");
  CHECK(spec.meta.base_url == "http://127.0.0.1:8080/v1");
  CHECK(spec.meta.timeout_ms == 120'000);
  CHECK(spec.worker.provider.flags == std::vector<std::string>{"--search", "a b"});
  CHECK(spec.worker.provider.extra_env.at("TOKEN") == "env:MY_TOKEN");
  CHECK(spec.worker.provider.tool_specific.at("docker_mode") == true);
  CHECK(spec.worker.mode == WorkerMode::kHeadless);
  CHECK(spec.worker.max_loops == 4);
  CHECK(spec.worker.allow == std::set{CallField::kModel, CallField::kWorkdir});
  CHECK(spec.sandbox.kind == SandboxKind::kPodman);
  CHECK(spec.sandbox.mounts ==
        std::vector<MountSpec>{{"/data", "/data", true}, {"~/.cache", "/cache", false}});
  CHECK(spec.sandbox.cpus == 1.5);
  CHECK(spec.sandbox.pids == 200);
  CHECK(spec.budget.time_ms == 7'200'000);
  CHECK(spec.budget.tokens == 100'000);
  CHECK(spec.budget.cost_usd == 2.5);
}

TEST_CASE("what a task file does not say has a default: docker, the repository here, ten loops") {
  const TaskSpec spec = spec_of(kHead + kRunner);
  CHECK(spec.title == "a");
  CHECK(spec.repo == ".");
  CHECK(spec.sandbox.kind == SandboxKind::kDocker);
  CHECK(spec.worker.max_loops == 10);
  CHECK(spec.test.command.empty());
  CHECK(spec.budget.time_ms == 0);
  CHECK_FALSE(spec.worker.allow.contains(CallField::kCliPath));
}

TEST_CASE("a PRD inside of the file is taken as it is") {
  std::string prd = "$(touch x) \"quotes\" 'and' \\ %s\n";
  while (prd.size() < 200'000) prd += "More of it, `and` more.\n";
  std::string block = "prd: |\n";
  for (size_t i = 0; i < prd.size();) {
    const size_t end = prd.find('\n', i) + 1;
    block += "  " + prd.substr(i, end - i);
    i = end;
  }
  CHECK(spec_of("id: a\n" + block + kRunner).prd.text == prd);
  CHECK(spec_of("id: a\nprd: \"\\e[31m\\a\\u202e\"\n" + std::string(kRunner)).prd.text ==
        "\x1b[31m\x07\xe2\x80\xae");
  CHECK(spec_of("id: a\nprd: |\n  \x1b[31mred\n" + std::string(kRunner)).prd.text ==
        "\x1b[31mred\n");
}

TEST_CASE("a wrong task file is one line with the place, the field and what is expected") {
  struct Row {
    std::string text, error;
  };
  const auto runner = [](const std::string& worker, const std::string& more = "") {
    return kHead + "runner:\n  meta: {kind: scripted, script: [a]}\n  worker: {kind: demo" +
           worker + "}\n" + more;
  };
  const std::vector<Row> rows{
      {"", "1:1: there is no document"},
      {"- a\n", "1:1: expected a mapping (name: value), found a list"},
      {"a\n", "1:1: expected a mapping (name: value), found \"a\""},
      {"prd: p\n", "1:1: id is missing; expected a text"},
      {"id: a\n", "1:1: prd is missing; expected a text, or {file: PATH}"},
      {kHead, "1:1: runner is missing; expected a mapping with meta and worker"},
      {"id: a/b\nprd: p\n",
       "1:5: id: expected letters, digits, '-' and '_', a letter or digit first, at most 48 of "
       "them, found \"a/b\""},
      {"id: " + std::string(49, 'a') + "\n", "1:5: id: expected letters"},
      {"id: [a]\n", "1:5: id: expected a text, found a list"},
      {"id: a\nprd: ''\n", "2:6: prd: must not be empty"},
      {"id: a\nprd: [x]\n", "2:6: prd: expected a text, or {file: PATH}, found a list"},
      {"id: a\nprd: {path: x}\n", "2:6: prd.file is missing; expected a text"},
      {"id: a\nprd: {file: x, mode: y}\n", "2:16: unknown field prd.mode"},
      {"id: a\ntitel: b\n" + ("prd: p\n" + std::string(kRunner)),
       "2:1: unknown field titel; did you mean title?"},
      {"version: 2\n", "1:10: version: expected a whole number from 1 to 1, found \"2\""},
      {kHead + "title: \"a\\nb\"\n", "3:8: title: must be one line of printable characters"},
      {kHead + "runner: {meta: {kind: scripted}}\n",
       "3:16: runner.meta.script: is missing; kind scripted needs its answers"},
      {kHead + "runner: {meta: {kind: openai-chat, script: [a]}}\n",
       "3:44: runner.meta.script: goes with kind scripted"},
      {kHead + "runner: {meta: {kind: openai-chat}}\n",
       "3:9: runner.worker is missing; expected the agent that does the work"},
      {runner(", modle: x"), "5:24: unknown field runner.worker.modle; did you mean model?"},
      {runner(", max_loops: 0"),
       "5:35: runner.worker.max_loops: expected a whole number from 1 to 1000, found \"0\""},
      {runner(", max_loops: '3'"),
       "5:35: runner.worker.max_loops: expected a whole number from 1 to 1000, found \"3\""},
      {runner(", timeout: soon"),
       "5:33: runner.worker.timeout: expected a duration like 90s, 10m or 2h, found \"soon\""},
      {runner(", mode: fast"),
       "5:30: runner.worker.mode: expected auto, headless or interactive, found \"fast\""},
      {runner(", flags: [a, [b]]"), "5:35: runner.worker.flags: expected a text, found a list"},
      {runner(", flags: --x"),
       "5:31: runner.worker.flags: expected a list of texts, found \"--x\""},
      {runner(", flags: [\"a\\0\"]"), "5:31: runner.worker.flags: one holds a NUL byte"},
      {runner(", env: {LD_PRELOAD: x}"),
       "5:29: runner.worker.env: LD_PRELOAD is a variable that orch itself obeys; leave it out"},
      {runner(", env: {1A: x}"),
       "5:29: runner.worker.env: \"1A\" cannot be the name of a variable"},
      {runner(", env: {A: \"env:B C\"}"),
       "5:29: runner.worker.env: A: after env: comes the name of a variable of orch's"},
      {runner(", allow: [prompt, sudo]"),
       "5:31: runner.worker.allow: \"sudo\" is not a field of a worker call; there are prompt, "
       "model"},
      {runner("", "  sandbox: chroot\n"),
       "6:12: runner.sandbox: expected docker, podman, landlock or none, found \"chroot\""},
      {runner("", "  sandbox: {kind: none, image: x}\n"),
       "6:32: runner.sandbox.image: goes with a container; kind is none"},
      {runner("", "  sandbox: {mounts: [relative:/x]}\n"),
       "6:21: runner.sandbox.mounts: expected SOURCE:TARGET or SOURCE:TARGET:ro, both absolute, "
       "found \"relative:/x\""},
      {runner("", "  sandbox: {memory: lots}\n"),
       "6:21: runner.sandbox.memory: expected a size like 512m or 2g, found \"lots\""},
      {runner("", "budget: {tokens: -1}\n"),
       "6:18: budget.tokens: expected a whole number from 1 on, found \"-1\""},
      {runner("", "budget: {cost: 0}\n"),
       "6:16: budget.cost: expected US dollars, more than 0, found \"0\""},
      {runner("", "budget: {cost: nan}\n"),
       "6:16: budget.cost: expected a number from 0 on, found \"nan\""},
      {runner("", "test: [a]\n"),
       "6:7: test: expected a command, or {command: TEXT, timeout: 10m}, found a list"},
      {runner("", "id: b\n"), "6:1: \"id\" is there twice; the first is in line 1"},
      {"id: a\nprd: &p x\n", "2:6: anchors"},
      {"a: " + std::string(100'000, '[') + "\n", "1:"},
  };
  for (const Row& row : rows) {
    INFO(row.text.substr(0, 200));
    const std::string error = error_of(row.text);
    CHECK(error.substr(0, row.error.size() + 10) == "task.yaml:" + row.error);
    CHECK(error.find('\n') == std::string::npos);
  }
}

TEST_CASE("the examples are read, and the schema knows their fields") {
  const auto schema = nlohmann::json::parse(content_of(kDocs + "task.schema.json"));
  const auto& fields = schema.at("properties");
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kDocs + "examples")) {
    if (entry.path().extension() != ".yaml") continue;
    INFO(entry.path());
    ++count;
    const std::string text = content_of(entry.path());
    const auto spec = parse_task_spec(text, entry.path().filename().string());
    if (!spec) FAIL(spec.error().text);
    const auto document = orch::yaml::read_yaml(text, "example");
    for (const auto& key : document->keys) CHECK(fields.contains(key.name));
  }
  CHECK(count == 3);
}

TEST_CASE("each field of the schema is one that is read, and no other is") {
  const auto schema = nlohmann::json::parse(content_of(kDocs + "task.schema.json"));
  const auto known = [](const std::string& text) {
    return error_of(text).find("unknown field") == std::string::npos;
  };
  const auto& runner = schema.at("properties").at("runner").at("properties");
  const auto names = [](const nlohmann::json& object) {
    std::vector<std::string> out;
    for (const auto& [name, value] : object.at("properties").items()) out.push_back(name);
    return out;
  };
  const std::string head = kHead + "runner:\n  meta: {kind: m";
  for (const std::string& name : names(schema)) CHECK(known(kHead + kRunner + name + ": \n"));
  for (const std::string& name : names(runner.at("meta"))) {
    CHECK((name == "kind" || known(head + ", " + name + ": }\n  worker: {kind: w}\n")));
  }
  for (const std::string& name : names(runner.at("worker"))) {
    CHECK((name == "kind" || known(head + "}\n  worker: {kind: w, " + name + ": }\n")));
  }
  for (const std::string& name : names(runner.at("sandbox").at("oneOf").at(1))) {
    CHECK(known(head + "}\n  worker: {kind: w}\n  sandbox: {" + name + ": }\n"));
  }
  for (const std::string& name : names(schema.at("properties").at("budget"))) {
    CHECK(known(kHead + kRunner + "budget: {" + name + ": }\n"));
  }
  CHECK_FALSE(known(kHead + kRunner + "budgets: \n"));
}

TEST_CASE("a script is a list of answers") {
  const auto script = parse_script("- |\n  type: plan_task\n- two\n", "s.yaml");
  REQUIRE(script);
  CHECK(*script == std::vector<std::string>{"type: plan_task\n", "two"});
  CHECK(parse_script("a: b\n", "s.yaml").error().text ==
        "s.yaml:1:1: expected a list of texts, found a mapping");
  CHECK(parse_script("- [a]\n", "s.yaml").error().text ==
        "s.yaml:1:3: expected a text, found a list");
}
