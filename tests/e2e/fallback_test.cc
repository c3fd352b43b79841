// --fallback: at a vendor's limit the issue goes on with another agent.
#include <catch2/catch.hpp>

#include "script_agent.h"
#include "workspace.h"

using namespace orch::e2e;

namespace {

Outcome run_with(const Workspace& workspace, const std::string& fallback, Words words = {},
                 Words issues = {"7"}) {
  words.insert(words.begin(), issues.begin(), issues.end());
  words.insert(words.begin(), "run");
  words.insert(words.end(), {"--agent", "first", "--fallback", fallback, "--mode", "headless", "-p",
                             "fix it", "--worktree", "--sandbox", "none"});
  return run_orch(workspace, std::move(words));
}

}  // namespace

TEST_CASE("at a limit the next agent goes on in the same folder, and knows what was done") {
  const Workspace workspace;
  make_repository(workspace);
  install_agent(workspace, "first", "echo half > half.txt; say 'I began with half.txt.'; limit");
  install_agent(workspace, "limited", "limit");
  install_agent(workspace, "second",
                "printf '%s' \"$message\" > ../../got; cat half.txt > whole.txt; finish");
  const std::string list = GENERATE("second", "limited,second");
  const Outcome outcome = run_with(workspace, list);
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(holds(outcome.err, "orch: second goes on with 7\n"));
  CHECK(content_of(worktree(workspace) + "/whole.txt") == "half\n");
  const std::string prompt = content_of(workspace.file("got"));
  INFO(prompt);
  CHECK(prompt.starts_with("fix it\n"));
  CHECK(holds(prompt, "has begun this task in this folder, and cannot go on because of a limit"));
  CHECK(holds(prompt, "half.txt"));
  if (list == "second") CHECK(holds(prompt, "> I began with half.txt."));
  const Outcome runs = run_orch(workspace, {"runs", "--json"});
  const Json all = Json::parse(runs.out);
  REQUIRE(all.size() == (list == "second" ? 2 : 3));
  CHECK(all[0].at("agent") == "second");
  CHECK(all[0].at("parent") == all[1].at("run"));
  CHECK(run_orch(workspace, {"land", "7", "--merge"}).code == 0);
}

TEST_CASE("of several issues those that were not begun go on with the next agent, too") {
  const Workspace workspace;
  make_repository(workspace);
  install_agent(workspace, "first", "limit");
  install_agent(workspace, "second", "echo x > new; finish");
  const Outcome outcome = run_with(workspace, "second", {"--jobs", "1"}, {"7", "8"});
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(holds(outcome.err, "orch: second goes on with 2 issues\n"));
  for (const char* issue : {"7", "8"}) {
    CHECK(content_of(worktree(workspace, issue) + "/new") == "x\n");
  }
}

TEST_CASE("where every agent meets its limit the run ends with 75") {
  const Workspace workspace;
  make_repository(workspace);
  install_agent(workspace, "first", "limit");
  install_agent(workspace, "second", "limit");
  CHECK(run_with(workspace, "second").code == 75);
}

TEST_CASE("words of --fallback that are no agents are refused before the start") {
  const Workspace workspace;
  make_repository(workspace);
  install_agent(workspace, "first", "finish");
  install_agent(workspace, "second", "finish");
  const Outcome outcome = run_with(workspace, "second,");
  CHECK(outcome.code == 2);
  CHECK(holds(outcome.err, "--fallback: \"\" is no agent; write codex, or claude:MODEL"));
  const Outcome unknown = run_with(workspace, "second,nope");
  CHECK(unknown.code == 2);
  CHECK(holds(unknown.err, "--fallback: there is no agent \"nope\""));
  CHECK(holds(run_with(workspace, "first", {"--on-limit", "wait"}).err,
              "--fallback does not wait for the end of a limit"));
}
