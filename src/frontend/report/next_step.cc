#include "report/next_step.h"

#include "base/replace.h"
#include "base/text.h"

namespace orch::report {
namespace {

using event::ExitReason;

// Goes on with the agent where it can, and otherwise begins anew.
NextStep go_on(const Standing& standing, const StepNames& names, const std::string& text,
               std::string why) {
  if (standing.resumes) {
    return {"orch continue " + names.run + " " + base::shell_word(text), std::move(why)};
  }
  return {"orch retry " + names.run, std::move(why)};
}

NextStep after_success(const Standing& standing, const StepNames& names) {
  if (!names.uncommitted.empty()) {
    return {"orch diff " + names.run,
            "not all of it is committed, in " + base::printable(names.uncommitted)};
  }
  if (standing.has_commits && !names.branch.empty()) {
    return {"git merge " + names.branch, "its commits are on a branch of their own"};
  }
  if (standing.has_changes) return {"orch diff " + names.run, "see what it changed"};
  return {"", "it changed nothing"};
}

NextStep after_error(const Standing& standing, const StepNames& names) {
  switch (standing.cause) {
    case event::Cause::kAuth:
    case event::Cause::kLogin:
      return {"orch retry " + names.run,
              "log in first" + (names.login.empty() ? "" : ": " + base::printable(names.login))};
    case event::Cause::kContext:
      return {"orch retry " + names.run, "its conversation has become too long: begin anew"};
    case event::Cause::kModel:
      return {"orch show " + names.run, "see which model was asked for"};
    default:
      return go_on(standing, names, "go on", "the agent's turn ended in an error");
  }
}

NextStep after_end(const Standing& standing, const StepNames& names) {
  switch (standing.reason) {
    case ExitReason::kComplete:
    case ExitReason::kIdle:
    case ExitReason::kExit:
      return after_success(standing, names);
    case ExitReason::kAgentFailed:
    case ExitReason::kExitedEarly:
    case ExitReason::kAgentSignal:
      return go_on(standing, names, "go on", "the agent ended before its work was done");
    case ExitReason::kAgentError:
      return after_error(standing, names);
    case ExitReason::kOffTape:
    case ExitReason::kTaskFailed:
    case ExitReason::kUsage:
      return {"orch show " + names.run, "see why"};
    case ExitReason::kNeedsHuman: {
      if (standing.denied_itself) {
        NextStep step = go_on(standing, names, "go on",
                              "the agent denied a tool itself; in its terminal it asks, and orch "
                              "answer answers");
        step.command += " --mode interactive -d";
        return step;
      }
      NextStep step = go_on(standing, names, "go on",
                            "in the background a dialog waits for orch answer; --approve FILE "
                            "answers the like of it");
      step.command += " -d";
      return step;
    }
    case ExitReason::kCallsUnread:
      return {"orch doctor", "see what switches the agent's hooks off"};
    case ExitReason::kGateFailed:
      return go_on(standing, names,
                   names.gate.empty() ? "mend what the checks found"
                                      : "this has to succeed: " + base::printable(names.gate),
                   "a check failed");
    case ExitReason::kNoChanges:
      return go_on(standing, names, "nothing was changed: do the work", "it changed nothing");
    case ExitReason::kRetryLater:
      return go_on(standing, names, "go on", "once the limit is over; --on-limit wait waits");
    case ExitReason::kTimeout:
      return go_on(standing, names, "go on", "its time was up");
    case ExitReason::kTurns:
      return go_on(standing, names, "go on", "its turns were used up");
    case ExitReason::kTokens:
    case ExitReason::kCost:
      return go_on(standing, names, "go on", "its budget was used up");
    case ExitReason::kStuck:
      return {"orch report " + names.run, "see where it got stuck"};
    case ExitReason::kInternal:
      return go_on(standing, names, "go on", "orch itself failed or died; see orch doctor");
    case ExitReason::kNotExecutable:
    case ExitReason::kNotFound:
      return {"orch doctor", "see what this machine lacks"};
    case ExitReason::kInterrupted:
    case ExitReason::kTerminated:
    case ExitReason::kKilled:
      return go_on(standing, names, "go on", "somebody ended it");
  }
  return {};
}

}  // namespace

NextStep next_step(const Standing& standing, const StepNames& names) {
  switch (standing.phase) {
    case Standing::Phase::kAtWork:
      return {"orch logs -f " + names.run, "it is at work"};
    case Standing::Phase::kWaiting:
      return {"orch answer " + names.run, "it waits at a dialog"};
    case Standing::Phase::kHostDied:
      return go_on(standing, names, "go on", "orch or the machine died");
    case Standing::Phase::kEnded:
      if (!names.home.empty()) return {"", names.home};
      return after_end(standing, names);
  }
  return {};
}

}  // namespace orch::report
