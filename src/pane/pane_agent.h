#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "loop/watched_fd.h"
#include "pane/pane_link.h"
#include "pty/child.h"
#include "pty/pty.h"

namespace orch::loop {
class Loop;
}

namespace orch::pane {

// Called from the loop; each may destroy the PaneAgent.
class PaneObserver {
 public:
  virtual ~PaneObserver() = default;
  virtual void on_agent_ended(pty::ExitStatus status) = 0;  // its last output may still be to come
  virtual void on_pane_lost() = 0;  // once: whoever had the pane has closed it
};

// An agent on the terminal of a multiplexer's pane: a child of this process like any other, so that
// its environment and arguments, its exit status and all that holds a run's processes together are
// no concern of the multiplexer. Its output goes to the multiplexer and its keys come from there;
// whoever owns this moves both. The destructor kills and reaps what still lives, and lets the pane
// go.
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
  pty::TerminalSize size() const;  // as the multiplexer has made it; {0, 0}: it is gone

  // The agent's writes wait until release_output(), as after a Ctrl-S.
  void hold_output();
  void release_output();

  // Behind all that the agent has written, as if it had written that, too.
  void print(std::string bytes) const;
  // What the pane does when this process is gone before finish().
  void if_abandoned(std::vector<std::string> command) const;
  // Ends the pane: it runs a command first, if there is one, and then ends as the agent did.
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

}  // namespace orch::pane
