#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "loop/loop.h"
#include "run/gate_output.h"
#include "run/machine.h"
#include "session/agent_process.h"
#include "session/check_process.h"
#include "session/session_setup.h"
#include "store/run_dir.h"

namespace orch::session {

// Checks the agent's work when the run's logic asks for it: runs a gate in the agent's folder,
// environment, and fence or enclosure; finds the changed files; keeps the folder's state; or
// removes the worktree. One check at a time; each is a CheckProcess.
class Checks {
 public:
  struct Told {  // called from the loop, or from inside a call to this
    // `log` is the part of the gate's output that is kept.
    std::function<void(run::GateEnd, std::string log)> on_gate;
    std::function<void()> on_locked;  // the gate waits for another run's (--gate-lock)
    std::function<void(run::Changes)> on_changes;
    std::function<void()> on_kept;  // the state of the folder, as far as that was possible
    std::function<void(store::WorktreeEnd)> on_left;
  };
  // `setup` and `agent` outlive this.
  Checks(loop::Loop& loop, const SessionSetup& setup, const AgentProcess& agent,
         const store::RunDir& dir, std::string git_before, Told told);

  void run_gate(const run::RunGate& gate);
  void find_changes(int64_t timeout_ms);
  // Keeps the state of the folder at the run's end, for comparisons; only for a run with a snapshot
  // of its begin.
  void keep_end();
  void leave_worktree();  // the run has completed: removes its worktree if it may go
  void end();             // stops the running check without a report
  bool busy() const { return process_ != nullptr; }

 private:
  void start_gate();
  void on_gate_end(CheckProcess::End end);
  std::string gate_mark() const;  // finds the gate's processes in an enclosure
  void on_changes_end(CheckProcess::End end);
  void on_left_end(CheckProcess::End end);
  // Starts a helper of orch's own (`orch <words>`); on_end is called even if it could not be
  // started.
  void help(std::vector<std::string> words, int64_t timeout_ms,
            const std::function<void(CheckProcess::End)>& on_end);
  // Why the helper failed; "" if it did not.
  std::string trouble_of(const CheckProcess::End& end) const;
  base::Status start(CheckPlan plan, std::function<void(CheckProcess::End)> on_end);

  loop::Loop& loop_;
  const SessionSetup& setup_;
  const AgentProcess& agent_;
  store::RunDir dir_;
  std::string git_before_;
  Told told_;
  run::RunGate gate_;         // the gate that is running
  std::string gate_trouble_;  // why the gate could not be started
  base::Fd lock_;             // --gate-lock, while a gate runs
  bool is_locked_out_ = false;
  std::unique_ptr<run::GateOutput> output_;
  std::unique_ptr<CheckProcess> process_;
  loop::Timer soon_;
  int begun_ = 0;
};

}  // namespace orch::session
