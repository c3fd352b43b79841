// orch plan shows what orch run would start.
#include <catch2/catch.hpp>
#include <filesystem>

#include "workspace.h"

using namespace orch::e2e;

namespace {

Outcome plan(const Workspace& workspace, Words words, const Words& env = {}) {
  words.insert(words.begin(), "plan");
  Launch launch = workspace.orch(std::move(words));
  launch.env.insert(launch.env.end(), env.begin(), env.end());
  return Program(launch).finish();
}

constexpr const char* kAgent = R"({
  "manifest": 1, "name": "own", "program": ["own-agent"],
  "options": {"model": ["--model", "{}"]},
  "headless": {"arguments": ["go", "{options}", "{resume}"], "lines": [
    {"is": "words", "when": {"/type": "say"}, "text": "/text"},
    {"is": "end", "when": {"/type": "end"}}]}
})";

}  // namespace

TEST_CASE("orch plan prints what orch run starts, and so does a retry") {
  const Workspace workspace;
  workspace.write("home/.config/orch/adapters/own.json", kAgent);
  const std::string program =
      workspace.write("bin/other name",
                      "#!/bin/sh\nfor w; do echo \"$w\"; done >> words\n"
                      "cat > stdin\necho '{\"type\":\"say\",\"text\":\"hi\"}'\n"
                      "echo '{\"type\":\"end\"}'\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const Outcome planned =
      plan(workspace, {"--kind", "own", "--model", "m 1", "--flag=--x=y z", "--flag", "--verbose",
                       "--cli-path", program, "-p", "do it", "--json"});
  REQUIRE(planned.code == 0);
  const Json json = Json::parse(planned.out);
  CHECK(json["command"] == program);
  CHECK(json["args"] == Json{"go", "--model", "m 1", "--x=y z", "--verbose"});
  CHECK(json["workdir"] == workspace.project());
  CHECK(json["stdin"] == "do it");
  CHECK_FALSE(workspace.has_state());

  const Words run{"run",
                  "7",
                  "--agent",
                  "own",
                  "--mode",
                  "headless",
                  "--sandbox",
                  "none",
                  "--until",
                  "idle",
                  "--model",
                  "m 1",
                  "--agent-flag=--x=y z",
                  "--agent-flag",
                  "--verbose",
                  "--agent-program",
                  "../bin/other name",
                  "-p",
                  "do it"};
  CHECK(Program(workspace.orch(run)).finish().code == 0);
  std::string words;
  for (const std::string& word : json["args"].get<Words>()) words += word + "\n";
  CHECK(content_of(workspace.project() + "/words") == words);
  CHECK(content_of(workspace.project() + "/stdin") == "do it");
  CHECK(Program(workspace.orch({"retry", "7"})).finish().code == 0);
  CHECK(content_of(workspace.project() + "/words") == words + words);
}

TEST_CASE("orch plan tells people a field a line, and no secret") {
  const Workspace workspace;
  const Outcome outcome =
      plan(workspace,
           {"--kind", "codex", "--sandbox", "docker", "--env", "PLAIN=a b", "--env",
            "MY_TOKEN=s3cret-A", "--env", "KEY=env:OURS", "-p", "$(touch x)\n\x1b[31m"},
           {"OURS=another-s3cret"});
  CHECK(outcome.code == 0);
  CHECK(outcome.out ==
        "command  codex\n"
        "arg      exec\narg      --json\narg      --skip-git-repo-check\n"
        "arg      --dangerously-bypass-approvals-and-sandbox\n"
        "arg      -c\narg      model_reasoning_effort=medium\n"
        "arg      --model\narg      gpt-5.2-codex\narg      -\n"
        "env      KEY=env:OURS\nenv      MY_TOKEN=…\nenv      PLAIN=a b\n"
        "workdir  /workspace/project\n"
        "stdin    16 bytes: $(touch x)\xef\xbf\xbd\xef\xbf\xbd[31m\n");
  const Outcome json = plan(workspace, {"--kind", "codex", "--env", "KEY=env:OURS", "--json"},
                            {"OURS=another-s3cret"});
  CHECK(Json::parse(json.out)["env"]["KEY"] == "env:OURS");
  CHECK_FALSE(holds(json.out, "another-s3cret"));
}

TEST_CASE(
    "orch plan reads a task file: its worker in its sandbox, its meta-agent on this machine") {
  const Workspace workspace;
  const std::string file = workspace.write("task.yaml", R"(version: 1
id: mend
title: Mend it
prd: Mend it.
runner:
  meta:
    kind: claude-cli
  worker:
    kind: codex
    env:
      NPM_TOKEN: env:OURS
  sandbox:
    kind: docker
)");
  const Outcome worker = plan(workspace, {file, "--effort", "high", "--json"}, {"OURS=s3cret-A"});
  REQUIRE(worker.code == 0);
  const Json json = Json::parse(worker.out);
  CHECK(json["args"] == Json{"exec", "--json", "--skip-git-repo-check",
                             "--dangerously-bypass-approvals-and-sandbox", "-c",
                             "model_reasoning_effort=high", "--model", "gpt-5.2-codex", "-"});
  CHECK(json["env"] == Json{{"NPM_TOKEN", "env:OURS"}});
  CHECK(json["workdir"] == "/workspace/project");
  const Outcome meta = plan(workspace, {file, "--role", "meta", "--json"});
  REQUIRE(meta.code == 0);
  CHECK(Json::parse(meta.out)["command"] == "claude");
  CHECK(Json::parse(meta.out)["workdir"] == workspace.project());
}

TEST_CASE("orch plan refuses what an agent has no word for, in one line") {
  const Workspace workspace;
  const auto refusal = [&](const Words& words) {
    const Outcome outcome = plan(workspace, words);
    CHECK(outcome.code == 2);
    CHECK(outcome.out.empty());
    CHECK(lines_of(outcome.err).size() == 1);
    return outcome.err;
  };
  CHECK(holds(refusal({"--kind", "gemini", "--effort", "high"}), "supports_effort"));
  CHECK(holds(refusal({"--kind", "nobody"}), "\"nobody\""));
  CHECK(holds(refusal({"--kind", "codex", "--env", "K=env:MISSING"}), "MISSING"));
  CHECK(holds(refusal({"--kind", "codex", "--role", "boss"}), "worker, fast or meta"));
  CHECK(holds(refusal({"--kind", "codex", "--tool", "docker=yes"}), "docker_mode=true"));
  CHECK(holds(refusal({}), "--agent"));
}
