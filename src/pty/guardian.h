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

// A guardian's command line as /proc shows it (each word ended by a NUL). Any process can have the
// same.
std::string guardian_command_line();

// A host's connection to its guardian: `orch internal guardian`, a tiny process at the other end of
// a pipe, which wakes up only for messages and outlives the host. When the host is gone, for
// whatever reason, the guardian ends the processes of the runs that were not released and puts
// their files in order (guard_duty.h); if there are none, it just leaves. There is one for each
// host, started before its first agent. SIGPIPE must be ignored, as a loop::Loop does. A guardian
// that somebody has killed is not replaced.
class Guardian {
 public:
  struct Watched {
    std::string run;          // the id of the run
    std::string run_dir;      // the folder of the run, absolute
    std::string session_key;  // "" if the run has no session file
  };

  // Starts this very program again (~1 ms). Errors are those of spawn_child(), and that /proc does
  // not show our processes.
  static base::Result<std::unique_ptr<Guardian>> start(loop::Loop& loop);
  // For a guardian that was started already; `pipe` is our end of its pipe, non-blocking.
  Guardian(loop::Loop& loop, ProcessId id, base::Fd pipe);
  // Closes the pipe, and reaps the guardian if it has no work left: not every init reaps orphans.
  ~Guardian();
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;

  // The only way to recognize the guardian: an agent can imitate everything else about it.
  ProcessId id() const { return id_; }

  // Adds a run to the guardian's list. Never blocks: bytes that the pipe does not take are sent
  // from the loop, in order. A run has to be watched before its agent is started, and released when
  // its processes are ended and its files written. release() then removes the run's control group
  // (a path, or "") and notifies the guardian when that is gone.
  void watch(const Watched& run);
  // Sessions wait for this host in the queue of this state directory; "": none does any more.
  void watch_queue(const std::string& state_dir);
  void release(const std::string& run, std::string cgroup);

  // Kills the orphans that have come to this host since the guardian was started; see
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
