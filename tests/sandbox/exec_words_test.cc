#include "sandbox/exec_words.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace orch::sandbox {
namespace {

using Talk = session::Enclosure::Talk;
using Words = std::vector<std::string>;

const Engine kDocker{EngineKind::kDocker, "/usr/bin/docker", false};
const Engine kPodman{EngineKind::kPodman, "/usr/bin/podman", false};

bool has(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string after(const Words& words, const std::string& word) {
  const auto found = std::find(words.begin(), words.end(), word);
  return found == words.end() || found + 1 == words.end() ? "" : *(found + 1);
}

TEST_CASE("a variable's value is in no word, and under no name that the client would read") {
  const ExecPlan plan = exec_plan(kDocker,
                                  {.container = "orch-7-abc",
                                   .folder = "/workspace/project",
                                   .talk = Talk::kPipes,
                                   .env = {{"DOCKER_HOST", "tcp://elsewhere"},
                                           {"KEY", "hush $(id) `id` 'quoted'\nsecond line"}},
                                   .mark = "run-1"},
                                  {"agent", "say it's $HOME; \"so\""});
  for (const std::string& word : plan.argv) {
    CHECK(word.find("hush") == std::string::npos);
    CHECK(word.find("elsewhere") == std::string::npos);
  }
  CHECK(plan.env ==
        Words{"ORCH_V0=tcp://elsewhere", "ORCH_V1=hush $(id) `id` 'quoted'\nsecond line"});
  const std::string script = after(plan.argv, "-c");
  CHECK(script ==
        "DOCKER_HOST=$ORCH_V0; export DOCKER_HOST; unset ORCH_V0\n"
        "KEY=$ORCH_V1; export KEY; unset ORCH_V1\nexec \"$@\"");
  CHECK(has(plan.argv, "ORCH_MARK=run-1"));
  CHECK(plan.argv.back() == "say it's $HOME; \"so\"");
}

TEST_CASE(
    "on a terminal the client is told no key to leave by, and the program waits for its size") {
  const ExecOrder order{
      .container = "c", .folder = "/", .talk = Talk::kTerminal, .env = {}, .mark = "m"};
  const ExecPlan docker = exec_plan(kDocker, order, {"agent"});
  CHECK(docker.argv[2] == "-it");
  CHECK(after(docker.argv, "--detach-keys").starts_with("ctrl-^,ctrl-^"));
  CHECK(after(docker.argv, "-c").find("stty size") != std::string::npos);
  CHECK(after(exec_plan(kPodman, order, {"agent"}).argv, "--detach-keys").empty());
  ExecOrder pipes = order;
  pipes.talk = Talk::kPipes;
  CHECK(exec_plan(kDocker, pipes, {"agent"}).argv[2] == "-i");
  CHECK_FALSE(has(exec_plan(kDocker, pipes, {"agent"}).argv, "--detach-keys"));
}

TEST_CASE("a name that a shell cannot give is refused") {
  CHECK(check_variable("A_1").ok());
  for (const char* name : {"", "1A", "A.B", "A B", "A;id", "A$"}) {
    CAPTURE(name);
    CHECK_FALSE(check_variable(name).ok());
  }
}

}  // namespace
}  // namespace orch::sandbox
