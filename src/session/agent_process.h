#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "driver/driver.h"
#include "loop/loop.h"
#include "pty/containment.h"
#include "session/agent_fence.h"
#include "session/hook_channel.h"
#include "session/session_setup.h"
#include "session/source.h"
#include "store/run_dir.h"

namespace orch::session {

// The agent of one run as processes: its source, the channel of its hooks, and what holds together
// all that it starts. It is started, perhaps again and again, and ended; nothing of it outlives
// this.
class AgentProcess {
 public:
  // `setup` outlives this; its launch plan gets what the hooks need. Without a channel for its
  // hooks
  // - a second source of its status - the agent is started all the same.
  AgentProcess(loop::Loop& loop, SessionSetup& setup, const store::RunDir& dir,
               std::function<void(std::string_view)> on_notice);

  // Fences the agent first where that is asked for. Of a headless agent it is only made sure that
  // it can be started.
  base::Status start(SourceObserver& observer);
  // Of a headless agent: its next process. The one before, if it still lives, is killed.
  base::Status start_turn(const driver::Launch& launch, SourceObserver& observer);
  void end_turn();  // the process has ended, of which on_end has told
  bool has_process() const { return source_ != nullptr && live_; }
  // Ends the process so that another one can take its place: on_end comes, then start_again().
  void end_to_restart();
  // Does the process that ended with `status` want another one in its place? Of its own accord an
  // agent may ask for that a few times.
  bool wants_restart(pty::ExitStatus status);
  base::Status start_again(SourceObserver& observer);
  // While paused no output comes of any process of the agent's, of those to be started neither.
  void pause();
  void resume();
  // The agent is gone for good: ends what it has left behind.
  void finish();

  // For a process that is of the run, but no agent: holds it and what it starts, and nothing else.
  pty::Containment containment_inside(const std::string& id) const {
    return containment_.inside(id);
  }

  // The run's control group is somebody else's to remove; "": it has none.
  std::string leave_cgroup() { return containment_.leave_cgroup(); }

  // The agent's environment, "K=V" each, the same for each of its processes.
  const std::vector<std::string>& environment() const { return environment_; }
  const AgentFence* fence() const { return fence_.get(); }  // nullptr: there is none
  // Of a headless agent without a process: one that takes everything and says nothing.
  Source& source() { return *source_; }
  const Source& source() const { return *source_; }

 private:
  void add_fence_words(adapters::HookSpec& hooks);
  void open_hooks(const adapters::HookSpec& spec, std::function<void(std::string_view)> on_notice);
  base::Status raise_fence();
  void end_the_rest();
  base::Status find_program() const;
  bool is_own(const std::string& program) const;
  base::Status spawn(std::vector<std::string> argv, SourceObserver& observer);

  loop::Loop& loop_;
  SessionSetup& setup_;
  store::RunDir dir_;
  pty::Containment containment_;
  std::unique_ptr<HookChannel> hooks_;
  std::unique_ptr<AgentFence> fence_;
  std::vector<std::string> environment_, persons_environment_;
  std::unique_ptr<Source> source_;
  int restarts_ = 0;         // that the agent itself asked for
  bool restarting_ = false;  // it is ended to be started again
  bool live_ = false;        // of a headless agent: the source has a process
  bool paused_ = false;
};

}  // namespace orch::session
