#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "loop/child_watch.h"
#include "loop/timer.h"
#include "loop/watched_fd.h"
#include "pty/child.h"
#include "pty/process_table.h"
#include "pty/spawn.h"

namespace orch::loop {
class Loop;
}

namespace orch::pty {

// The words that start an init, to be followed by those of InitOrder (init_duty.h): this very
// program again.
std::vector<std::string> init_command();
// Whether a command line (each word ended by a NUL) is that of an init.
bool is_init(std::string_view command_line);

// A host's connection to the init of a run that has no control group: a tiny process between the
// host and the agent (init_duty.h). It is the agent's parent and a subreaper, so that all
// descendants of the agent have it as an ancestor for ever. It reports how the agent ended, keeps
// the agent's pid from being reused until reap_agent(), and ends everything below it when the host
// is gone.
//
// An agent can kill or stop any process of its own user. If the init dies, the agent dies too, or
// is killed here; if the init is stopped and does not report the agent's end, it is killed for
// that. Either way the agent's remaining processes become children of this process, which has to be
// a subreaper.
class Init {
 public:
  // Starts an init by `command`, which starts the agent. The other parameters and the errors are
  // those of spawn_child(), but the agent's input and output must be one descriptor. Waits for the
  // init's answer: ~2 ms, at most 10 s.
  static base::Result<std::unique_ptr<Init>> start(const std::vector<std::string>& command,
                                                   const std::vector<std::string>& argv,
                                                   const std::string& cwd,
                                                   const std::vector<std::string>& env,
                                                   const ChildStdio& stdio);
  // Makes the init end everything below it, and itself; the loop reaps it.
  ~Init();
  Init(const Init&) = delete;
  Init& operator=(const Init&) = delete;

  ProcessId id() const { return id_; }
  pid_t agent() const { return agent_; }

  // on_agent_ended is called once, from the loop or from inside look(), and may destroy this Init.
  void watch(loop::Loop& loop, std::function<void()> on_agent_ended);
  // Checks whether the agent has ended, and calls on_agent_ended if so. True if it has; see
  // Child::look().
  bool look();
  // To be called once, after on_agent_ended: from then on the agent's pid may name another process.
  ExitStatus reap_agent();

 private:
  Init(ProcessId id, pid_t agent, base::Fd talk);
  void on_talk();
  void hear();
  void on_agent_gone();
  void on_init_ended();
  void tell_agent_ended();

  ProcessId id_;   // pid 0: it is reaped
  pid_t agent_;    // not reaped before reap_agent()
  base::Fd talk_;  // this and agent_pidfd_ are moved away by watch()
  base::Fd agent_pidfd_;
  std::optional<ExitStatus> status_;  // as reported by the init
  loop::Loop* loop_ = nullptr;
  std::function<void()> on_agent_ended_;
  std::optional<loop::WatchedFd> talk_watch_;
  std::optional<loop::WatchedFd> agent_watch_;  // while the init lives
  std::optional<loop::Timer> patience_;
  std::optional<loop::ChildWatch> init_watch_;
  std::optional<loop::ChildWatch> orphan_watch_;  // watches the agent after the init has died
};

// A process that was started: a child of this process, or of the init in between.
struct Started {
  pid_t pid = 0;
  std::unique_ptr<Init> init;
};

}  // namespace orch::pty
