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

// Looks at what an agent did when the run's logic asks for that: runs a gate where the agent ran
// and as the agent ran, or finds what changed. One at a time.
class Checks {
 public:
  struct Told {  // from the loop, or from inside of a call to this
    // `log` is all of the gate's output that is kept.
    std::function<void(run::GateEnd, std::string log)> on_gate;
    std::function<void(run::Changes)> on_changes;
    std::function<void(store::WorktreeEnd)> on_left;
  };
  // `setup` and `agent` outlive this.
  Checks(loop::Loop& loop, const SessionSetup& setup, const AgentProcess& agent,
         const store::RunDir& dir, std::string git_before, Told told);

  void run_gate(const run::RunGate& gate);
  void find_changes(int64_t timeout_ms);
  void leave_worktree();  // the run has completed
  void end();             // nothing more is told of the one that goes on
  bool busy() const { return process_ != nullptr; }

 private:
  void on_gate_end(CheckProcess::End end);
  std::string gate_mark() const;  // in an enclosure
  void on_changes_end(CheckProcess::End end);
  void on_left_end(CheckProcess::End end);
  // Starts a helper of orch's own; on_end is called also when it could not be started.
  void help(std::vector<std::string> words, int64_t timeout_ms,
            const std::function<void(CheckProcess::End)>& on_end);
  std::string trouble_of(const CheckProcess::End& end) const;  // "" where there was none
  base::Status start(CheckPlan plan, std::function<void(CheckProcess::End)> on_end);

  loop::Loop& loop_;
  const SessionSetup& setup_;
  const AgentProcess& agent_;
  store::RunDir dir_;
  std::string git_before_;
  Told told_;
  run::RunGate gate_;         // that runs
  std::string gate_trouble_;  // why it could not
  std::unique_ptr<run::GateOutput> output_;
  std::unique_ptr<CheckProcess> process_;
  loop::Timer soon_;
  int begun_ = 0;
};

}  // namespace orch::session
