#include "task_run/run_words.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace orch::task_run;
using orch::adapters::WorkerCall;

namespace {

RunPlace place() {
  return {"/bin/orch", "/state", "/repo", "/repo", {"--sandbox", "none"}, "none"};
}

orch::task::TaskSpec spec() {
  orch::task::TaskSpec spec;
  spec.id = "fix";
  spec.test.command = "make test; $(x)";
  spec.worker.provider.kind = "codex-cli";
  spec.worker.provider.flags = {"--search", "-x y"};
  spec.worker.provider.extra_env = {{"A", "one"}, {"TOKEN", "env:SECRET"}};
  return spec;
}

const WorkerAgent kAgent{"codex", true, "big", "medium", {{"small", "gpt-small"}}};

bool has(const RunWords& words, const std::string& word) {
  return std::find(words.argv.begin(), words.argv.end(), word) != words.argv.end();
}

}  // namespace

TEST_CASE("a worker is a run of orch, told by files and names alone") {
  WorkerCall call;
  call.prompt = "the prompt";
  call.env = {{"A", "two"}, {"B", "three"}};
  call.flags = {"--fast"};
  call.workdir = "src";
  const auto words =
      worker_words(place(), spec(), kAgent, call, 3, "/state/p/3.md", 90'000, {{"SECRET", "s3"}});
  REQUIRE(words);
  CHECK(std::vector(words->argv.begin(), words->argv.begin() + 3) ==
        std::vector<std::string>{"/bin/orch", "run", "fix-w3"});
  for (const char* word :
       {"--agent=codex", "--mode=headless", "--until=idle", "--approve=none", "--timeout=90000ms",
        "--prompt-file=/state/p/3.md", "--cwd=/repo/src", "--model=big", "--effort=medium",
        "--agent-flag=--search", "--agent-flag=-x y", "--agent-flag=--fast", "--env=TOKEN",
        "--env=A", "--env=B", "--require-changes", "--on-limit=wait"}) {
    INFO(word);
    CHECK(has(*words, word));
  }
  for (const std::string& word : words->argv) {
    for (const char* hidden : {"s3", "the prompt", "two", "three"}) {
      CHECK(word.find(hidden) == std::string::npos);
    }
  }
  CHECK(words->env ==
        std::map<std::string, std::string>{{"A", "two"}, {"B", "three"}, {"TOKEN", "s3"}});
}

TEST_CASE("a call's own model holds, and a shorthand stands for the whole name") {
  WorkerCall call;
  call.model = "small";
  call.reasoning_effort = "high";
  const std::map<std::string, std::string> variables{{"SECRET", "s"}};
  const auto words = worker_words(place(), spec(), kAgent, call, 1, "/p", 1, variables);
  REQUIRE(words);
  CHECK(has(*words, "--model=gpt-small"));
  CHECK(has(*words, "--effort=high"));
}

TEST_CASE("a variable that orch does not have is an error before anything runs") {
  const auto words = worker_words(place(), spec(), kAgent, {}, 1, "/p", 1, {});
  REQUIRE_FALSE(words);
  CHECK(words.error().text ==
        "runner.worker.env: TOKEN is to be $SECRET, which orch does not have");
}

TEST_CASE("the test command is one word for sh") {
  const RunWords words = test_words(place(), spec(), 2, 1'000);
  CHECK(words.argv[2] == "fix-t2");
  CHECK(std::vector(words.argv.end() - 4, words.argv.end()) ==
        std::vector<std::string>{"--", "sh", "-c", "make test; $(x)"});
}
