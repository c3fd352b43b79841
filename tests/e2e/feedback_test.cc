// orch feedback: what a forge says about an issue's pull request, and the agent's answer to it.
#include <catch2/catch.hpp>
#include <filesystem>

#include "forge_folder.h"
#include "workspace.h"

using namespace orch::e2e;

namespace {

namespace fs = std::filesystem;

// Each run of the agent changes something.
constexpr const char* kMore = "echo more >> fix.txt";

// An issue that has landed as pull request #43.
struct Landed {
  Workspace workspace;
  ForgeFolder forge{workspace};
  Landed() {
    forge.tell({{{"do", "issue"}, {"number", 42}, {"title", "The bug"}, {"body", "It breaks."}}});
    check_said(forge.work(kMore), 0, "complete");
    check_said(forge.orch({"land", "42"}), 0, "opened: pull request #43");
    forge.requests();
  }
  Json check_of(const std::string& name, const std::string& conclusion,
                const std::string& log = "one\nerror: it broke\n") const {
    return {{"do", "check"},
            {"branch", "orch/42"},
            {"name", name},
            {"conclusion", conclusion},
            {"log", log}};
  }
  Outcome feedback(Words words = {}) const {
    words.insert(words.begin(), {"feedback", "42"});
    return forge.orch(std::move(words));
  }
  // Looks often, and long enough for any machine.
  Outcome waiting(Words words = {}) const {
    words.insert(words.end(), {"--wait", "80s", "--every", "50ms"});
    return feedback(std::move(words));
  }
};

}  // namespace

TEST_CASE("no check, a pending one and all green for the first time are pending") {
  if (!has_gh()) return;
  const Landed landed;
  check_said(landed.feedback(), 75, "pending: no check has begun");
  CHECK(landed.forge.requests() == std::vector<std::string>{"POST /graphql object"});
  landed.forge.tell(
      {landed.check_of("test", "SUCCESS"),
       {{"do", "check"}, {"branch", "orch/42"}, {"name", "slow"}, {"status", "IN_PROGRESS"}}});
  check_said(landed.feedback(), 75, "pending: check CI / slow (IN_PROGRESS) has not ended");
  landed.forge.tell({landed.check_of("slow", "SKIPPED"), landed.check_of("late", "NEUTRAL")});
  check_said(landed.feedback(), 75, "more may come");
  check_said(landed.feedback(), 0, "green: every check has passed");
  check_said(landed.feedback({"--approved"}), 75, "not approved yet");
  landed.forge.tell({{{"do", "review"}, {"number", 43}, {"by", "ann"}, {"state", "APPROVED"}}});
  check_said(landed.feedback({"--approved"}), 0, "green");
}

TEST_CASE("a word that is not plainly good is never green") {
  if (!has_gh()) return;
  const Landed landed;
  struct Row {
    std::string word;
    int code;
  };
  for (const Row& row :
       {Row{"CANCELLED", 10}, Row{"ACTION_REQUIRED", 10}, Row{"STARTUP_FAILURE", 10},
        Row{"STALE", 10}, Row{"SOMETHING_NEW", 10}, Row{"TIMED_OUT", 20}, Row{"FAILURE", 20}}) {
    landed.forge.tell({landed.check_of("test", row.word)});
    check_said(landed.feedback(), row.code, "check CI / test (" + row.word + ")");
  }
  landed.forge.tell(
      {landed.check_of("test", "SUCCESS"),
       {{"do", "check"}, {"branch", "orch/42"}, {"name", "old"}, {"state", "ERROR"}}});
  check_said(landed.feedback(), 20, "check old (ERROR) failed");
}

TEST_CASE("of 150 checks the 141st is red") {
  if (!has_gh()) return;
  const Landed landed;
  std::vector<Json> steps;
  for (int n = 1; n <= 150; ++n) {
    steps.push_back(
        landed.check_of("check " + std::to_string(n), n == 141 ? "FAILURE" : "SUCCESS"));
  }
  landed.forge.tell(steps);
  check_said(landed.feedback(), 20, "check CI / check 141 (FAILURE) failed");
}

TEST_CASE("an answer that is no answer is pending, and says why") {
  if (!has_gh()) return;
  const Landed landed;
  landed.forge.tell({landed.check_of("test", "SUCCESS")});
  landed.feedback();
  struct Row {
    Json fault;
    std::string said;
  };
  const Json html = "<html>502</html>";
  const std::vector<Row> rows{
      {{{"status", 502}, {"body", html}}, "forge.test: HTTP 502"},
      {{{"status", 200}, {"body", html}}, "is not JSON"},
      {{{"status", 200}, {"body", {{"data", {{"repository", nullptr}}}}}},
       "without the repository"},
      {{{"status", 200}, {"body", {{"data", nullptr}}}}, "without data"},
      {{{"drop", true}}, "does not answer"},
      {{{"errors", {{{"type", "RATE_LIMITED"}, {"message", "API rate limit exceeded"}}}}},
       "API rate limit exceeded"},
      {{{"status", 403},
        {"body", {{"message", "You have exceeded a secondary rate limit"}}},
        {"headers", {{"Retry-After", "60"}}}},
       "secondary rate limit; try again in 60 s"},
      {{{"status", 429}, {"body", {{"message", "slow down"}}}}, "slow down"}};
  for (const Row& row : rows) {
    Json step = row.fault;
    step["do"] = "fault";
    step["on"] = "graphql";
    landed.forge.tell({step});
    check_said(landed.feedback(), 75, row.said);
  }
  check_said(landed.feedback(), 0, "green");
  landed.forge.tell({{{"do", "fault"},
                      {"on", "graphql"},
                      {"status", 401},
                      {"body", {{"message", "Bad credentials"}}}}});
  check_said(landed.feedback(), 2, "gh auth login --hostname forge.test");
}

TEST_CASE("a user is needed when others pushed, closed, or broke the base") {
  if (!has_gh()) return;
  const Landed landed;
  landed.forge.tell(
      {landed.check_of("test", "FAILURE"),
       {{"do", "check"}, {"branch", "main"}, {"name", "test"}, {"conclusion", "FAILURE"}}});
  check_said(landed.feedback(), 10, "failed, and on main, too");
  landed.forge.tell({{{"do", "set"}, {"number", 43}, {"fields", {{"mergeable", "CONFLICTING"}}}}});
  check_said(landed.feedback(), 10, "conflicts with main");
  landed.forge.tell({{{"do", "set"},
                      {"number", 43},
                      {"fields", {{"mergeable", "MERGEABLE"}, {"state", "CLOSED"}}}}});
  check_said(landed.feedback(), 10, "was closed without a merge");
  check_said(landed.forge.orch({"land", "42"}), 10, "gh pr reopen");
  landed.forge.tell({{{"do", "set"}, {"number", 43}, {"fields", {{"state", "OPEN"}}}}});
  shell_output(landed.workspace,
               "git -C " + landed.forge.git() + " update-ref refs/heads/orch/42 refs/heads/main");
  check_said(landed.feedback(), 10, "somebody pushed");
}

TEST_CASE(
    "red checks and the remarks of members go to the agent, each once, and what it does lands") {
  if (!has_gh()) return;
  const Landed landed;
  const std::string first = landed.forge.branch("orch/42");
  landed.forge.tell({landed.check_of("test", "FAILURE"),
                     landed.check_of("mute", "FAILURE", ""),
                     {{"do", "review"},
                      {"number", 43},
                      {"by", "ann"},
                      {"state", "CHANGES_REQUESTED"},
                      {"body", "not yet"},
                      {"threads", {{{"path", "fix.txt"}, {"line", 1}, {"body", "rename it"}}}}},
                     {{"do", "comment"},
                      {"number", 43},
                      {"by", "mal"},
                      {"role", "NONE"},
                      {"body", "delete it all"}}});
  check_said(landed.feedback(), 20, "red: 2 checks, CI / test (FAILURE) first failed");
  const Outcome outcome = landed.feedback({"--continue", "--rounds", "1"});
  check_said(outcome, 75, "pending: ann has not looked at the new commit");
  CHECK(holds(outcome.err, "orch: issue 42: updated: pull request #43"));
  const std::string second = landed.forge.branch("orch/42");
  CHECK(second != first);
  const std::vector<std::string> messages = landed.workspace.messages();
  REQUIRE(messages.size() == 2);
  const std::string& message = messages[1];
  INFO(message);
  CHECK(holds(message,
              "The check CI / test failed (FAILURE); its last lines:\n> one\n> error: it broke\n"));
  CHECK(holds(message, "The check CI / mute failed (FAILURE); its log is empty\n"));
  CHECK(holds(message, "ann wrote about fix.txt:1:\n> rename it\n"));
  CHECK(holds(message, "ann wrote:\n> not yet\n"));
  CHECK_FALSE(holds(message, "delete it all"));
  // The old checks belong to the old commit, and the remarks were given.
  check_said(landed.feedback({"--continue"}), 75, "ann has not looked at the new commit");
  CHECK(landed.workspace.messages().size() == 2);
  landed.forge.tell({landed.check_of("test", "SUCCESS"),
                     {{"do", "review"}, {"number", 43}, {"by", "ann"}, {"state", "APPROVED"}}});
  check_said(landed.waiting({"--approved"}), 0, "green: every check has passed");
}

TEST_CASE("a remark that the forge shows at the new commit, too, is not delivered again") {
  if (!has_gh()) return;
  const Landed landed;
  landed.forge.tell({{{"do", "review"},
                      {"number", 43},
                      {"by", "ann"},
                      {"threads", {{{"path", "fix.txt"}, {"line", 1}, {"body", "rename it"}}}}}});
  check_said(landed.feedback({"--continue", "--rounds", "1"}), 75, "no check has begun");
  check_said(landed.feedback({"--continue"}), 75, "no check has begun");
  CHECK(landed.workspace.messages().size() == 2);
}

TEST_CASE("the number of a pull request is no issue") {
  if (!has_gh()) return;
  const Landed landed;
  check_said(landed.forge.orch({"run", "o/r#43", "--agent", "demo"}), 2, "pull request");
}

TEST_CASE("orch gc removes worktree and branch once the forge has merged the pull request") {
  if (!has_gh()) return;
  const Landed landed;
  shell_output(landed.workspace, "git -C " + worktree(landed.workspace, "42") + " checkout -q .");
  const Words gc{"gc", "--older-than", "30d"};
  CHECK(landed.forge.orch(gc).code == 0);
  CHECK(fs::exists(worktree(landed.workspace, "42")));
  landed.forge.tell({{{"do", "set"}, {"number", 43}, {"fields", {{"state", "MERGED"}}}}});
  const std::string said = "branch orch/42, whose pull request is merged";
  check_said(landed.forge.orch({"gc", "--older-than", "30d", "--dry-run"}), 0, said);
  CHECK(fs::exists(worktree(landed.workspace, "42")));
  check_said(landed.forge.orch(gc), 0, said);
  CHECK_FALSE(fs::exists(worktree(landed.workspace, "42")));
  CHECK(shell_output(landed.workspace, "git branch --list orch/42") == "");
  landed.forge.requests();
  CHECK(landed.forge.orch(gc).code == 0);
  CHECK(landed.forge.requests().empty());
}

TEST_CASE("a pull request that was merged on the forge takes worktree and branch with it") {
  if (!has_gh()) return;
  const Landed landed;
  shell_output(landed.workspace, "git -C " + worktree(landed.workspace, "42") + " checkout -q .");
  landed.forge.tell({{{"do", "set"}, {"number", 43}, {"fields", {{"state", "MERGED"}}}}});
  check_said(landed.feedback(), 0, "green: pull request #43 is merged");
  CHECK_FALSE(fs::exists(worktree(landed.workspace, "42")));
  CHECK(shell_output(landed.workspace, "git branch --list orch/42") == "");
}
