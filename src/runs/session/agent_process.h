#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
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

// The processes of one run's agent: owns the source that runs the agent's process, the channel of
// its hooks, and the containment that holds everything the agent starts. The agent may be started
// several times. No process of it outlives this object.
class AgentProcess {
 public:
  // `setup` outlives this; its launch plan gets the arguments and variables that the hooks need.
  // The hooks' channel is a second source of the agent's status. If it cannot be opened, the agent
  // is started without it, unless its calls are to be checked: then it is not started.
  AgentProcess(loop::Loop& loop, SessionSetup& setup, const store::RunDir& dir,
               std::function<void(std::string_view)> on_notice);

  // Raises the fence first if one is asked for. A headless agent is not started yet: it is only
  // made sure that its program is there.
  base::Status start(SourceObserver& observer);
  // Starts the next process of a headless agent. The one before is killed if it still lives.
  base::Status start_turn(const driver::Launch& launch, SourceObserver& observer);
  void end_turn();  // the process has ended, as on_end() has said
  bool has_process() const { return source_ != nullptr && live_; }
  // Ends the process so that another one can take its place: on_end() follows, then start_again().
  void end_to_restart();
  // Whether the process that ended with `status` is to be replaced: because of end_to_restart(), or
  // because its exit code asks for a restart, which an agent may do a few times.
  bool wants_restart(pty::ExitStatus status);
  base::Status start_again(SourceObserver& observer);
  // While paused no output is read, neither from the present process nor from later ones.
  void pause();
  void resume();
  // Kills the processes that the agent, or a gate, has left behind.
  void end_the_rest();
  // Removes what hooks need, when neither the agent nor a gate runs any more.
  void finish();

  // The containment of a process that belongs to the run but is not the agent. It holds that
  // process and its descendants only.
  pty::Containment containment_inside(const std::string& id) const {
    return containment_.inside(id);
  }

  // Hands over the run's control group, which the caller then has to remove; "": the run has none.
  std::string leave_cgroup() { return containment_.leave_cgroup(); }

  // The agent's environment ("K=V"), the same for each of its processes.
  std::vector<std::string> environment() const;
  const AgentFence* fence() const { return fence_.get(); }  // nullptr: there is none
  // The source; while a headless agent has no process, one that ignores all calls.
  Source& source() { return *source_; }
  const Source& source() const { return *source_; }

 private:
  std::vector<std::string> inherited_environment() const;
  void add_own_settings(adapters::HookSpec& hooks);
  void add_fence_words(adapters::HookSpec& hooks);
  std::string program_of_hooks() const;
  struct Shown {
    std::vector<std::string> program;  // orch, and the word before its internal commands
    std::string settings, script, servers;
    std::string socket = {};  // of the session; in an enclosure only
  };
  Shown shown_to_agent() const;
  adapters::CheckPlaces places_of_check() const;
  std::map<std::string, std::string> variables_for_agent() const;
  bool user_allows(const adapters::CallSpec& calls) const;
  base::Status add_check_words(adapters::HookSpec& hooks);
  base::Error unreadable_base() const;
  base::Status add_mcp_servers(adapters::HookSpec& hooks);
  base::Status show_hooks(const adapters::HookSpec& hooks);
  base::Status open_hooks(const adapters::HookSpec& spec,
                          std::function<void(std::string_view)> on_notice);
  base::Status remember_place() const;
  base::Status raise_fence();
  std::map<std::string, std::string> added_environment() const;
  std::vector<std::string> persons_environment() const;
  base::Result<std::string> find_program() const;
  base::Status check_author() const;
  bool is_own(const std::string& program) const;
  base::Status spawn(std::vector<std::string> argv, SourceObserver& observer);

  loop::Loop& loop_;
  SessionSetup& setup_;
  store::RunDir dir_;
  pty::Containment containment_;
  std::unique_ptr<HookChannel> hooks_;
  base::Status checked_ = base::Ok{};  // why the agent's calls cannot be checked
  std::unique_ptr<AgentFence> fence_;
  std::unique_ptr<Source> source_;
  int restarts_ = 0;         // restarts that the agent itself has asked for
  bool restarting_ = false;  // the agent is being ended so that it can be started again
  bool live_ = false;        // headless: the source has a process
  bool paused_ = false;
};

}  // namespace orch::session
