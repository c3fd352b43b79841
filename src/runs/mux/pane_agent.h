#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "loop/watched_fd.h"
#include "mux/pane_link.h"
#include "pty/child.h"
#include "pty/pty.h"

namespace orch::loop {
class Loop;
}

namespace orch::mux {

// Calls come from the loop; each may destroy the PaneAgent.
class PaneObserver {
 public:
  virtual ~PaneObserver() = default;
  // The last output may still be on its way.
  virtual void on_agent_ended(pty::ExitStatus status) = 0;
  virtual void on_pane_lost() = 0;  // called once, when the pane was closed
};

// An agent on the terminal of a multiplexer's pane. It is a child of this process like any other
// agent, so this process, not the multiplexer, controls its environment and arguments, its exit
// status, and the containment of the run's processes. Its output goes to the multiplexer, and its
// keys come from there; the owner of this moves both. The destructor kills and reaps the agent if
// it still lives, and lets the pane end.
class PaneAgent {
 public:
  // Errors are those of pty::start_on_terminal(). The observer must outlive the PaneAgent.
  static base::Result<std::unique_ptr<PaneAgent>> start(loop::Loop& loop,
                                                        std::unique_ptr<PaneLink> link,
                                                        const pty::SpawnPlan& plan,
                                                        PaneObserver& observer);
  PaneAgent(const PaneAgent&) = delete;
  PaneAgent& operator=(const PaneAgent&) = delete;

  pid_t pid() const { return child_.pid(); }
  pty::StopStep stop(pty::StopTimes times) { return child_.stop(times); }
  bool canonical() const;
  bool asks_secret() const;
  pty::TerminalSize size() const;  // as the multiplexer has set it; {0, 0} if the terminal is gone

  // Makes the agent's writes wait until release_output(), as after a Ctrl-S.
  void hold_output();
  void release_output();

  // Prints bytes after everything that the agent has written, as if the agent had written them.
  void print(std::string bytes) const;
  // Sets the command that the pane runs if this process dies before finish().
  void if_abandoned(std::vector<std::string> command) const;
  // Ends the pane: it first runs a command, if there is one, and then ends with the agent's status.
  void finish(pty::ExitStatus status, std::vector<std::string> command) const;

 private:
  PaneAgent(loop::Loop& loop, std::unique_ptr<PaneLink> link, pty::Started child,
            PaneObserver& observer);
  void on_link();

  PaneObserver& observer_;
  std::unique_ptr<PaneLink> link_;
  loop::WatchedFd link_watch_;
  pty::Child child_;
};

}  // namespace orch::mux
