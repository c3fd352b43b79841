#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "loop/watched_fd.h"
#include "pty/cgroup_removal.h"
#include "pty/process_table.h"
#include "pty/transfer.h"

namespace orch::loop {
class Loop;
}

namespace orch::pty {

// What /proc says of a guardian's command line (each word ended by a NUL). Anybody can say that.
std::string guardian_command_line();

// A host's hold on its guardian: `orch guardian`, a tiny process at the other end of a pipe that
// wakes up when it is told something and outlives the host. When the host is gone, in whatever way,
// the guardian ends the processes of the runs that were not released and puts their files in order
// (guard_duty.h); if there are none it just leaves. One per host, in being before its first agent.
// SIGPIPE must be ignored, as a loop::Loop does. A guardian that somebody killed is not replaced.
class Guardian {
 public:
  struct Watched {
    std::string run;          // its id
    std::string run_dir;      // its folder, absolute
    std::string session_key;  // "" when it has no session file
  };

  // Executes this very program again (~1 ms); errors are those of spawn_child(), and a /proc that
  // does not show our processes.
  static base::Result<std::unique_ptr<Guardian>> start(loop::Loop& loop);
  // Of a guardian that somebody has started, by our end of its pipe, which does not block.
  Guardian(loop::Loop& loop, ProcessId id, base::Fd pipe);
  // Lets it go, and reaps it if it has nothing to do: not every init reaps what it inherits.
  ~Guardian();
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;

  // By which it is known, and by nothing else: what else it shows, an agent can show as well.
  ProcessId id() const { return id_; }

  // Neither ever waits: what the pipe does not take now follows in order from the loop. A run is to
  // be watched before its agent is started, and released when its processes are ended and its files
  // written. Then its control group (a path, or "") is removed: the guardian lets go of the run
  // once that is gone.
  void watch(const Watched& run);
  // Sessions wait for this host in the queue of this state directory; "": none do any more.
  void watch_queue(const std::string& state_dir);
  void release(const std::string& run, std::string cgroup);

  // Ends what came to this host as an orphan since the guardian was started; see
  // pty::kill_strays(). To be called when the last run has ended. Returns how many there were.
  size_t end_strays(const loop::Loop& loop) const;

 private:
  void tell(std::string message);
  void send();

  ProcessId id_;
  loop::WatchedFd pipe_;
  WriteQueue unsent_;
  CgroupRemoval removal_;
};

}  // namespace orch::pty
