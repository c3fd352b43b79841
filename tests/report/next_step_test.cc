#include "report/next_step.h"

#include <catch2/catch.hpp>

using namespace orch::report;
using orch::event::Cause;
using orch::event::ExitReason;

namespace {

const StepNames kNames{.run = "42",
                       .agent = "claude",
                       .branch = "orch/42",
                       .uncommitted = "",
                       .gate = "make 'all' test",
                       .login = "claude /login"};

std::string command_after(ExitReason reason, bool resumes = true) {
  return next_step({.reason = reason, .resumes = resumes}, kNames).command;
}

}  // namespace

TEST_CASE("after every end there is a next command, or nothing is to be done, and it is said why") {
  for (const auto& row : orch::event::exit_table()) {
    for (const bool resumes : {true, false}) {
      const NextStep step = next_step({.reason = row.reason, .resumes = resumes}, kNames);
      INFO(row.name);
      CHECK_FALSE(step.why.empty());
      CHECK((step.command.starts_with("orch ") || step.command.starts_with("git merge ")));
      CHECK(step.command.find('\n') == std::string::npos);
      // Only an agent that can go on in its conversation is told to.
      CHECK((resumes || !step.command.starts_with("orch continue")));
    }
  }
}

TEST_CASE("a run that was cut short goes on, or begins anew where the agent cannot") {
  for (const auto reason :
       {ExitReason::kTimeout, ExitReason::kTurns, ExitReason::kTokens, ExitReason::kCost,
        ExitReason::kRetryLater, ExitReason::kKilled, ExitReason::kInterrupted,
        ExitReason::kTerminated, ExitReason::kAgentFailed, ExitReason::kExitedEarly,
        ExitReason::kAgentSignal}) {
    CHECK(command_after(reason) == "orch continue 42 'go on'");
    CHECK(command_after(reason, false) == "orch retry 42");
  }
}

TEST_CASE("each failure has its own remedy") {
  CHECK(command_after(ExitReason::kNeedsHuman) == "orch continue 42 'go on' -d");
  CHECK(next_step({.reason = ExitReason::kNeedsHuman}, kNames).why.find("--approve") !=
        std::string::npos);
  CHECK(
      next_step({.reason = ExitReason::kNeedsHuman, .resumes = true, .denied_itself = true}, kNames)
          .command == "orch continue 42 'go on' --mode interactive -d");
  CHECK(command_after(ExitReason::kGateFailed) ==
        "orch continue 42 'this has to succeed: make '\\''all'\\'' test'");
  CHECK(command_after(ExitReason::kNoChanges).starts_with("orch continue 42 'nothing was changed"));
  CHECK(command_after(ExitReason::kStuck) == "orch report 42");
  CHECK(command_after(ExitReason::kUsage) == "orch show 42");
  CHECK(command_after(ExitReason::kTaskFailed) == "orch show 42");
  CHECK(command_after(ExitReason::kNotFound) == "orch doctor");
  CHECK(command_after(ExitReason::kNotExecutable) == "orch doctor");
  CHECK(command_after(ExitReason::kInternal) == "orch continue 42 'go on'");
}

TEST_CASE("an error of the agent's is mended by what it was") {
  const auto after = [](Cause cause) {
    return next_step({.reason = ExitReason::kAgentError, .cause = cause, .resumes = true}, kNames);
  };
  CHECK(after(Cause::kAuth) == NextStep{"orch retry 42", "log in first: claude /login"});
  CHECK(after(Cause::kContext).command == "orch retry 42");
  CHECK(after(Cause::kModel).command == "orch show 42");
  CHECK(after(Cause::kApi).command == "orch continue 42 'go on'");
}

TEST_CASE("what a run that completed has left decides what is done with it") {
  CHECK(next_step({.has_commits = true}, kNames).command == "git merge orch/42");
  StepNames kept = kNames;
  kept.uncommitted = "/x.orch/42";
  CHECK(next_step({.has_commits = true}, kept) ==
        NextStep{"orch diff 42", "not all of it is committed, in /x.orch/42"});
  CHECK(next_step({.has_commits = false}, kNames).command == "orch diff 42");
  CHECK(next_step({.has_changes = false}, kNames) == NextStep{"", "it changed nothing"});
}

TEST_CASE("a run that is not over is watched or answered, and one that was cut off goes on") {
  using Phase = Standing::Phase;
  CHECK(next_step({.phase = Phase::kAtWork}, kNames).command == "orch logs -f 42");
  CHECK(next_step({.phase = Phase::kWaiting}, kNames).command == "orch answer 42");
  CHECK(next_step({.phase = Phase::kHostDied, .resumes = true}, kNames).command ==
        "orch continue 42 'go on'");
  CHECK(next_step({.phase = Phase::kHostDied}, kNames).command == "orch retry 42");
}
