// orch race: several agents at one issue, some of which cheat, fail, hang or meet a limit.
#include <catch2/catch.hpp>
#include <filesystem>

#include "script_agent.h"
#include "workspace.h"

using namespace orch::e2e;

namespace {

namespace fs = std::filesystem;

constexpr const char* kCheatTests = "echo 'exit 0' > tests/check.sh; echo cheated > other.txt";
constexpr const char* kShortFix = "echo right > fix.txt; git add fix.txt; git commit -qm fix";
constexpr const char* kLongFix = "echo right > fix.txt; seq 30 > notes.txt";

// A repository whose gate wants fix.txt to say "right", and agents of each kind.
struct Track {
  Workspace workspace;
  Track() {
    make_repository(workspace);
    shell_output(
        workspace,
        "mkdir tests; echo 'grep -q right fix.txt' > tests/check.sh; git add .; git commit "
        "-qm tests");
    enter("fixer", kShortFix);
    enter("wordy", kLongFix);
    enter("cheat", kCheatTests);
    enter("tester", "echo 'exit 0' > tests/check.sh");
    install_agent(workspace, "failer", "exit 3");
    install_agent(workspace, "limited", "limit");
    enter("hanger", "echo right > fix.txt; sleep 600");
  }
  void enter(const std::string& name, const std::string& script) const {
    install_agent(workspace, name, script + "\nfinish");
  }
  Outcome race(const std::string& agents, Words words = {}) const {
    words.insert(words.begin(),
                 {"race", "42", "--agents", agents, "--mode", "headless", "-p", "fix it",
                  "--verify", "sh tests/check.sh", "--protect", "tests", "--timeout", "60s"});
    return run_orch(workspace, std::move(words));
  }
  Json record() const {
    for (const std::string& name : names_in(workspace.state() + "/races")) {
      if (name.ends_with(".json"))
        return Json::parse(content_of(workspace.state() + "/races/" + name));
    }
    return {};
  }
  std::string branches() const {
    return shell_output(workspace, "git branch --format='%(refname:short)'");
  }
};

}  // namespace

TEST_CASE("the smallest work that passes the base's tests wins, and lands as the issue's") {
  const Track track;
  const Outcome outcome = track.race("wordy,cheat,fixer,tester,failer,limited");
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(outcome.out == "42-fixer\n");
  CHECK(holds(outcome.err, "orch: race of 42: 42-wordy: 2 files, 31 lines\n"));
  CHECK(holds(outcome.err, "42-cheat: cannot win: its gates did not pass on a clean checkout"));
  CHECK(holds(outcome.err, "42-failer: cannot win: it did not complete"));
  CHECK(holds(outcome.err, "42-limited: cannot win: it did not complete"));
  CHECK(holds(outcome.err, "42-tester: cannot win: it changed only protected paths, or none"));
  CHECK(track.record().at("winner") == "42-fixer");
  CHECK_FALSE(fs::exists(track.workspace.project() + ".orch"));  // all of it is on branches
  // The losers' work is on their branches.
  CHECK(shell_output(track.workspace, "git show orch/42-cheat:other.txt") == "cheated\n");
  CHECK(shell_output(track.workspace, "git show orch/42-wordy:notes.txt | wc -l") == "30\n");
  const Outcome landed = run_orch(track.workspace, {"land", "42", "--merge"});
  INFO(landed.err);
  CHECK(landed.code == 0);
  CHECK(shell_output(track.workspace, "git show main:fix.txt") == "right\n");
  run_orch(track.workspace, {"gc", "--older-than", "0s"});
  CHECK(track.branches() == "main\n");
}

TEST_CASE("if nobody is eligible the base wins") {
  const Track track;
  const Outcome outcome = track.race("cheat,failer", {"--json"});
  INFO(outcome.err);
  CHECK(outcome.code == 20);
  CHECK(Json::parse(outcome.out).at("winner").is_null());
  CHECK(holds(outcome.err, "no agent can win, and the base stays as it is"));
  const Outcome landed = run_orch(track.workspace, {"land", "42", "--merge"});
  CHECK(landed.code == 4);
  CHECK(holds(landed.err, "no agent won the race of issue 42"));
}

TEST_CASE("the first eligible agent stops the others") {
  const Track track;
  const Outcome outcome = track.race("hanger,fixer", {"--first"});
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(outcome.out == "42-fixer\n");
  CHECK(holds(outcome.err, "42-hanger: cannot win: it did not complete (terminated)"));
}

TEST_CASE("a race that cannot begin says why and starts nobody") {
  const Track track;
  struct Row {
    std::string agents;
    Words words;
    std::string said;
  };
  const Row row =
      GENERATE(Row{"fixer,nobody", {}, "there is no agent \"nobody\""},
               Row{"fixer,", {}, "is no agent; write claude, or claude:MODEL"},
               Row{"fixer", {"--protect", ":(exclude)x"}, "write a path of the repository"});
  const Outcome outcome = track.race(row.agents, row.words);
  INFO(outcome.err);
  CHECK(outcome.code == 2);
  CHECK(holds(outcome.err, row.said));
  CHECK(track.branches() == "main\n");
}
