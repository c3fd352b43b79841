// orch called by a tool that sets variables for its own children - git, make, npm: they reach
// neither the agent nor a gate, and the agent's commits land on its own branch alone.
#include <catch2/catch.hpp>
#include <filesystem>

#include "workspace.h"

using namespace orch::e2e;

namespace {

namespace fs = std::filesystem;

// The names of variables that say who called.
const std::string kNames =
    "^(GIT_(DIR|WORK_TREE|INDEX_FILE|PREFIX|EXEC_PATH|CONFIG.*|SEQUENCE_EDITOR|REFLOG_ACTION|"
    "AUTHOR_.*|EDITOR)|MAKELEVEL|MAKEFLAGS|MFLAGS|npm_.*|INIT_CWD)=";

// A repository, and in call.sh the call of orch whose agent commits in its worktree.
struct Caller {
  explicit Caller(Words words = {}) {
    make_repository(workspace);
    const std::string look = "env | grep -E '" + kNames + "' > ";
    words.insert(words.end(),
                 {"--worktree", "--verify", look + workspace.file("gate.txt") + "; true"});
    launch = workspace.shell(look + workspace.file("agent.txt") +
                                 "; echo new > new.txt && git add new.txt && git commit -qm agents",
                             words);
    std::string call = "exec";
    for (std::string word : launch.argv) {
      for (size_t at = 0; (at = word.find('\'', at)) != std::string::npos; at += 4) {
        word.replace(at, 1, "'\\''");
      }
      call += " '" + word + "'";
    }
    fs::permissions(workspace.write("call.sh", "#!/bin/sh\n" + call + " </dev/null\n"),
                    fs::perms::owner_all);
  }

  // Runs a script that calls call.sh.
  Outcome run(const std::string& script) const {
    Launch by = launch;
    by.argv = {"/bin/sh", "-ec", script, "sh", workspace.file("call.sh")};
    return Program(by).finish();
  }

  std::string subjects(const std::string& branch) const {
    return shell_output(workspace, "git log --format=%s " + branch);
  }

  void check_clean() const {
    CHECK(content_of(workspace.file("agent.txt")) == "");
    CHECK(content_of(workspace.file("gate.txt")) == "");
    CHECK(subjects("orch/7").starts_with("agents\n"));
    const std::string others =
        shell_output(workspace, "git log --format=%s --all --not orch/7; git log --format=%s HEAD");
    CHECK(others.find("agents") == std::string::npos);
    CHECK(shell_output(workspace, "git status --porcelain -uno") == "");
  }

  Workspace workspace;
  Launch launch;
};

}  // namespace

TEST_CASE("called from git's hook of a commit, also in a linked worktree") {
  for (const char* place : {".", "../linked"}) {
    INFO(place);
    const Caller caller;
    const Outcome outcome = caller.run(
        // Once: the agent commits, too.
        "h=.git/hooks/pre-commit; printf '#!/bin/sh\\nrm \"$0\"\\nexec %s\\n' \"$1\" > $h; "
        "chmod +x $h; git worktree add -q -b topic ../linked; cd " +
        std::string(place) + "; echo 2 > main.c; git -c a.b=c commit -qam users");
    INFO(outcome.err);
    CHECK(outcome.code == 0);
    caller.check_clean();
    CHECK(caller.subjects(place == std::string(".") ? "HEAD" : "topic").starts_with("users\n"));
  }
}

TEST_CASE("called from a rebase in a linked worktree, and by an alias of git's") {
  const Caller rebase;
  Outcome outcome = rebase.run(
      "git worktree add -q -b topic ../linked; cd ../linked; git commit -q --allow-empty -m two; "
      "git rebase -q --exec \"$1\" HEAD~1");
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  rebase.check_clean();

  const Caller alias;
  outcome = alias.run("GIT_DIR=$PWD/.git git -c alias.x=\"!$1\" x");
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  alias.check_clean();
}

TEST_CASE("called by make and by a script of npm's") {
  const Caller make;
  Outcome outcome = make.run(
      "printf 'x:\\n\\t+$(CALL)\\n' > ../Makefile; make -s -j2 -f ../Makefile x CALL=\"$1\"");
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  make.check_clean();

  // What npm 10 sets, where there may be no npm.
  const Caller npm;
  outcome = npm.run(
      "env INIT_CWD=/ npm_lifecycle_event=x npm_package_name=p npm_config_cache=/c "
      "npm_execpath=/npm \"$1\"");
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  npm.check_clean();
}

TEST_CASE("--env passes one of the caller's variables on") {
  const Caller caller({"--env", "MAKELEVEL", "--env", "INIT_CWD=/mine"});
  const Outcome outcome = caller.run("MAKELEVEL=3 GIT_DIR=$PWD/.git \"$1\"");
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  for (const char* file : {"agent.txt", "gate.txt"}) {
    const std::string found = content_of(caller.workspace.file(file));
    CHECK(found.find("MAKELEVEL=3\n") != std::string::npos);
    CHECK(found.find("INIT_CWD=/mine\n") != std::string::npos);
    CHECK(found.find("GIT_DIR") == std::string::npos);
  }
}
