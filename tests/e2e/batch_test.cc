// Several issues at once: where their agents work, what is kept of it, and the page of the morning
// after.
#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

#include "workspace.h"

using namespace orch::e2e;

namespace {

namespace fs = std::filesystem;

// Installs the agent "own", which does what the script says, says `words` and is done.
void install(const Workspace& workspace, const std::string& script,
             const std::string& words = "Done.\\n\\nLOOP_COMPLETE") {
  const std::string path = workspace.write(
      "agent.sh", "cat > /dev/null\n" + script + "\nprintf '%s\\n' '{\"type\":\"say\",\"text\":\"" +
                      words + "\"}' '{\"type\":\"end\",\"tokens\":{\"in\":90,\"out\":10}}'\n");
  workspace.write(
      "home/.config/orch/adapters/own.json",
      R"({"manifest": 1, "name": "own", "title": "Own", "program": ["/bin/sh"], "headless": {)"
      R"("arguments": [")" +
          path + R"("], "lines": [{"is": "words", "when": {"/type": "say"}, "text": "/text"},
             {"is": "end", "when": {"/type": "end"},
              "usage": {"in": ["/tokens/in"], "out": ["/tokens/out"]}}]}})");
}

Words own(Words issues, const Words& more = {}) {
  issues.insert(issues.begin(), "run");
  issues.insert(issues.end(), {"--agent", "own", "--mode", "headless", "-p", "x"});
  issues.insert(issues.end(), more.begin(), more.end());
  return issues;
}

std::string project(const Workspace& workspace) {
  return fs::canonical(workspace.project()).string();
}

constexpr const char* kEdit = "pwd > main.c; git commit -qam edited";

}  // namespace

TEST_CASE("several issues of an agent work in worktrees of their own, which is said in one line") {
  const Workspace workspace;
  make_repository(workspace);
  install(workspace, kEdit);
  const Outcome outcome = run_orch(workspace, own({"1", "2"}, {"--output", "quiet"}));
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(holds(outcome.err, "orch: each of the 2 issues works in a git worktree of its own, " +
                               project(workspace) +
                               ".orch/<issue>, which begins from the last "
                               "commit; --shared-folder"));
  for (const std::string issue : {"1", "2"}) {
    CHECK(shell_output(workspace, "git show orch/" + issue + ":main.c") ==
          worktree(workspace, issue) + "\n");
    const RunFolder run = workspace.run_of(issue);
    CHECK(run.record.at("cwd") == worktree(workspace, issue));
    CHECK(run.record.at("request").at("worktree") == true);
  }
  CHECK(content_of(workspace.file("project/main.c")) == "one\n");
  // The branches are there by now, so that a further batch is refused with what can be done.
  const Outcome again = run_orch(workspace, own({"1", "2"}));
  CHECK(again.code == 2);
  CHECK(lines_of(again.err).size() == 1);
  CHECK(holds(again.err, "orch retry 1"));
  CHECK(holds(again.err, "--shared-folder"));
  // A retry goes on in the worktree of its issue.
  const Outcome retried = run_orch(workspace, {"retry", "1", "--output", "quiet"});
  INFO(retried.err);
  CHECK(retried.code == 0);
  CHECK_FALSE(holds(retried.err, "each of the"));
  CHECK(content_of(workspace.file("project/main.c")) == "one\n");
}

TEST_CASE("the line about worktrees says that they lack what is not committed") {
  const Workspace workspace;
  make_repository(workspace);
  install(workspace, "cat main.c; ls > seen; rm seen");
  workspace.write("project/later.c", "not committed\n");
  const Outcome outcome = run_orch(workspace, own({"1", "2"}, {"--output", "quiet"}));
  CHECK(outcome.code == 0);
  CHECK(holds(outcome.err, ", without what is not committed in " + project(workspace) + ";"));
}

TEST_CASE("issues share one folder where it is said, and where worktrees are impossible") {
  const Workspace workspace;
  install(workspace, "pwd >> where");
  Words more{"--output", "quiet", "--jobs", "1"};
  std::string note;
  SECTION("--shared-folder") {
    make_repository(workspace);
    more.emplace_back("--shared-folder");
  }
  SECTION("it is set in the configuration") {
    make_repository(workspace);
    workspace.write("home/.config/orch/config.json", R"({"shared-folder": true})");
  }
  SECTION("there is no repository") {}
  SECTION("there is no commit") {
    shell_output(workspace, "git init -q .");
    note = "orch: the 2 issues share one folder, for " + project(workspace) +
           " has no commit that worktrees could begin from\n";
  }
  const Outcome outcome = run_orch(workspace, own({"1", "2"}, more));
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  const std::string here = project(workspace) + "\n";
  CHECK(content_of(workspace.file("project/where")) == here + here);
  CHECK_FALSE(fs::exists(project(workspace) + ".orch"));
  CHECK_FALSE(holds(outcome.err, "worktree of its own"));
  CHECK(holds(outcome.err, note));
}

TEST_CASE("the demo agent, programs and single issues get no worktree unasked") {
  const Workspace workspace;
  make_repository(workspace);
  install(workspace, "pwd > where");
  Outcome outcome;
  SECTION("the demo agent changes nothing") {
    Launch launch = workspace.orch({"run", "1", "2", "--agent", "demo", "-p", "x"});
    launch.env.emplace_back("ORCH_DEMO_SPEED=0.05");
    outcome = Program(launch).finish();
  }
  SECTION("the user named the folder of a program") {
    outcome = run_orch(workspace, {"run", "1", "2", "--", "pwd"});
  }
  SECTION("one issue") { outcome = run_orch(workspace, own({"1"})); }
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK_FALSE(holds(outcome.err, "worktree"));
  CHECK(shell_output(workspace, "git worktree list | wc -l") == "1\n");
}

TEST_CASE("--worktree and --shared-folder together are refused") {
  const Workspace workspace;
  make_repository(workspace);
  install(workspace, "");
  const Outcome outcome = run_orch(workspace, own({"1", "2"}, {"--worktree", "--shared-folder"}));
  CHECK(outcome.code == 2);
  CHECK(holds(outcome.err, "leave one of them out"));
  // On the command line it is meant, whatever the configuration says.
  workspace.write("home/.config/orch/config.json", R"({"shared-folder": true})");
  CHECK(run_orch(workspace, own({"1"}, {"--worktree"})).code == 0);
  CHECK(workspace.run_of("1").record.at("cwd") == worktree(workspace, "1"));
}

TEST_CASE("issues of -d that wait for a slot are told of") {
  const Workspace workspace;
  const Outcome begun =
      run_orch(workspace, {"run", "1", "2", "3", "--jobs", "1", "-d", "--", "sleep", "1000"});
  CHECK(begun.out == "orch-1\norch-2\norch-3\n");
  CHECK(holds(begun.err, "orch: 2 of them are queued"));
  CHECK(run_orch(workspace, {"kill", "--all"}).code == 0);
}

TEST_CASE("a run of an agent can be undone though no policy answers, or it is said why not") {
  const Workspace workspace;
  workspace.write("project/main.c", "one\n");
  install(workspace, "rm -f main.c; echo made > made.c");
  Words more{"--output", "quiet"};
  std::string why;
  SECTION("it can") {}
  SECTION("nobody wanted a snapshot") {
    more.emplace_back("--no-snapshot");
    why = "it was started with --no-snapshot";
  }
  SECTION("the records lie where the agent works") {
    more.insert(more.end(), {"--state-dir", "state"});
    why = "would lie within";
  }
  const Outcome outcome = run_orch(workspace, own({"7"}, more));
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  REQUIRE_FALSE(fs::exists(workspace.file("project/main.c")));
  Words undo{"undo", "7", "--yes"};
  if (more.back() == "state") undo.insert(undo.end(), {"--state-dir", "state"});
  const Outcome undone = run_orch(workspace, undo);
  INFO(undone.err);
  CHECK(undone.code == (why.empty() ? 0 : 4));
  CHECK(fs::exists(workspace.file("project/main.c")) == why.empty());
  if (more.back() == "state") {
    CHECK(holds(outcome.err, why));
  } else {
    CHECK(holds(undone.err, why));
  }
}

TEST_CASE("a full disk costs a run its snapshot, and not its agent") {
  const Workspace workspace;
  workspace.write("project/large", std::string(size_t{3} << 20, 'x'));
  install(workspace, "rm -f large");
  Launch launch = workspace.orch(own({"7"}, {"--output", "quiet"}));
  // A disk that takes no file of more than a megabyte.
  Words argv{"/bin/sh", "-c", "trap '' XFSZ; ulimit -f 2048; exec \"$@\"", "sh"};
  argv.insert(argv.end(), launch.argv.begin(), launch.argv.end());
  launch.argv = std::move(argv);
  const Outcome outcome = Program(launch).finish();
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK_FALSE(fs::exists(workspace.file("project/large")));
  CHECK(holds(outcome.err, "no snapshot, so no undo of this run: "));
  const Outcome undone = run_orch(workspace, {"undo", "7", "--yes"});
  CHECK(undone.code == 4);
  CHECK(holds(undone.err, "no snapshot, so no undo of this run: "));
}

TEST_CASE("the morning page says of every run what it changed and what comes next") {
  const Workspace workspace;
  make_repository(workspace);
  install(workspace,
          "case $PWD in */1) printf 'a\\nb\\n' > main.c; git commit -qam edited ;; "
          "*) echo x > new.c ;; esac",
          "I am not sure <b>.");
  CHECK(run_orch(workspace, own({"2"}, {"--max-turns", "1", "--worktree", "--verify", "false"}))
            .code == 124);
  install(workspace, "printf 'a\\nb\\n' > main.c; git commit -qam edited");
  CHECK(run_orch(workspace,
                 own({"1"}, {"--worktree", "--verify", "true", "--verify", "test -e main.c"}))
            .code == 0);
  const Outcome outcome = run_orch(workspace, {"runs", "--summary", "--since", "yesterday"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.code == 0);
  const auto lines = lines_of(outcome.out);
  REQUIRE(lines.size() == 7);
  CHECK(lines[0].starts_with("ISSUE  VERDICT"));
  CHECK(holds(lines[1], "1      completed/complete  1      +2 -1  2/2    1      100"));
  CHECK(holds(lines[1], "orch/1"));
  CHECK(holds(lines[2], "> git merge orch/1"));
  CHECK(holds(lines[3], "2      failed/turns        1      +1 -0"));
  CHECK(holds(lines[4], "\" I am not sure <b>."));
  CHECK(holds(lines[5], "> orch retry 2"));
  CHECK(run_orch(workspace, {"runs", "--summary", "--since", "0s"}).out.find("0 runs") !=
        std::string::npos);
  CHECK(run_orch(workspace, {"runs", "--since", "soon"}).code == 2);

  const Json json = Json::parse(run_orch(workspace, {"runs", "--summary", "--json"}).out);
  REQUIRE(json.size() == 2);
  const Json& told = json[0].at("summary");
  CHECK(told.at("files") == 1);
  CHECK(told.at("added") == 2);
  CHECK(told.at("removed") == 1);
  CHECK(json[1].at("summary").at("next") == "orch retry 2");

  const std::string page = workspace.file("page.html");
  CHECK(run_orch(workspace, {"report", "--all", "-o", page}).out == page + "\n");
  CHECK(holds(content_of(page), "I am not sure &lt;b&gt;."));
  CHECK(holds(content_of(page), "git merge orch/1"));
  const Outcome unnamed = run_orch(workspace, {"report", "--all"});
  CHECK(unnamed.out == workspace.state() + "/summary.html\n");
  const std::string alone = workspace.run_of("1").path + "/report.html";
  CHECK(run_orch(workspace, {"report", "1"}).out == alone + "\n");
  CHECK(holds(content_of(alone), "every gate passed"));
  CHECK(run_orch(workspace, {"report", "--since", "1d"}).code == 2);
  CHECK(run_orch(workspace, {"report", "--all", "1"}).code == 2);
}

TEST_CASE("agents and gates that run side by side have numbers of their own") {
  const Workspace workspace;
  make_repository(workspace);
  const std::string agents = workspace.write("agents", ""), gates = workspace.write("gates", "");
  const std::string line = "echo \"$(basename \"$PWD\") $ORCH_SLOT\" >> ";
  // The first two wait for each other, so that both run at once.
  install(workspace,
          line + agents + "; while [ \"$(wc -l < " + agents + ")\" -lt 2 ]; do sleep 0.05; done");
  const Outcome outcome =
      run_orch(workspace, own({"1", "2", "3"}, {"--jobs", "2", "--verify", line + gates}));
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  std::vector<std::string> began = lines_of(content_of(agents));
  std::vector<std::string> checked = lines_of(content_of(gates));
  REQUIRE(began.size() == 3);
  std::set<std::string> numbers{began[0].substr(2), began[1].substr(2)};
  CHECK(numbers == std::set<std::string>{"0", "1"});
  CHECK(numbers.contains(began[2].substr(2)));
  std::sort(began.begin(), began.end());
  std::sort(checked.begin(), checked.end());
  CHECK(checked == began);
}
