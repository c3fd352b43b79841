#pragma once

#include <cstdint>
#include <string>

#include "event/exit_reason.h"
#include "event/status.h"

namespace orch::report {

// The state of a run, as far as it decides the user's next step.
struct Standing {
  enum class Phase : uint8_t {
    kAtWork,
    kWaiting,   // at a dialog
    kEnded,     // with `reason`
    kHostDied,  // before it wrote how the run ended
  };
  Phase phase = Phase::kEnded;
  event::ExitReason reason = event::ExitReason::kComplete;
  event::Cause cause = event::Cause::kNone;  // of the agent's last status
  bool resumes = false;        // the agent can go on in the run's conversation (orch continue)
  bool denied_itself = false;  // a headless agent denied a tool, and asked nobody
  bool has_commits = false;    // the run's own branch is still there, with commits on it
  bool has_changes = true;     // files differ; true if that is not known
};

// The names for the next command and its reason.
struct StepNames {
  std::string run;     // the word that means the run to orch: an issue, or the run's id
  std::string agent;   // "claude"
  std::string branch;  // of the run's worktree: "orch/42"; "" if there was none
  // The path of the worktree, if it was kept with changes that are not committed; otherwise "".
  std::string uncommitted;
  // Why nothing is left to do with the branch, in one line: it has landed, is merged, or is gone.
  std::string home;
  std::string gate;   // the first --verify command that failed; "" if none did
  std::string login;  // how the user logs in to the agent, in one line; "" if not known
};

// The next step of a run's user, and why. The words are for people; the command is one line that
// can be pasted into a shell.
struct NextStep {
  std::string command;  // "" without a next step
  std::string why;
  bool operator==(const NextStep&) const = default;
};
NextStep next_step(const Standing& standing, const StepNames& names);

}  // namespace orch::report
