#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "pty/cgroup.h"
#include "pty/family.h"
#include "pty/init.h"
#include "pty/process_table.h"
#include "pty/spawn.h"

namespace orch::loop {
class Loop;
}

// What holds a run's processes together beyond the process group. A helper that calls setsid leaves
// the group and the session, but not
//  - the mark in its environment (run_mark.h), unless it clears it;
//  - its family: what descends from a process of the run, or is in a session that one of them led,
//    until its parents are gone and it leads a session of its own;
//  - the run's control group, where there can be one; where there is none,
//  - the run's init (init.h), from which everything in the run descends for ever.
// A process is of the run when any of them says so. What has escaped all of them comes to the host,
// which is a subreaper, and is killed when the last of its runs has ended (kill_strays). Not ours
// to find: what others start at an agent's word (systemd-run, at, a daemon that was there before),
// and what runs as another user.
//
// An agent may run orch itself, whose guardian is of the agent's run like everything else. It is
// killed last, so that it can put that orch's files in order first; as anybody may say that he is a
// guardian, the time for that is short.
namespace orch::pty {

// From now on orphaned descendants become our children instead of init's.
base::Status become_subreaper();

// While it lives orphans pass this process by, if it was their reaper: for the start of a server
// that is to outlive it, and would otherwise be ended as a stray.
class PassedByOrphans {
 public:
  PassedByOrphans();
  ~PassedByOrphans();
  PassedByOrphans(const PassedByOrphans&) = delete;
  PassedByOrphans& operator=(const PassedByOrphans&) = delete;

 private:
  int was_reaper_ = 0;
};

// Reaps the ended children that no ChildWatch of `loop` waits for: orphans that came to us (as a
// subreaper or as PID 1). To be called on SIGCHLD. Returns how many there were.
size_t reap_orphans(const loop::Loop& loop);

// Kills the orphans that came to us, with their descendants: those children that no ChildWatch of
// `loop` waits for and that started later than `since`, the start of another process. Elder
// ones were children of whoever became orch by exec. Returns how many were killed.
size_t kill_strays(const loop::Loop& loop, uint64_t since);

// Kills those of our children that `is_meant`, with their descendants. Returns how many were
// killed.
size_t kill_children(const std::function<bool(const ProcessEntry&)>& is_meant);

// Signals the processes of a session that are not in its leader's process group. The leader must be
// a child of ours that is not reaped yet, so that its pid names no other session.
size_t signal_session_beyond_group(pid_t session, int signum);

// The processes of one run, found and ended. This process itself is never one of them. Remembers
// whom it has seen, so that those who lose their parents remain known; to be used while a run ends,
// not for hours after.
class Containment {
 public:
  static constexpr std::chrono::milliseconds kForGuardians{500};

  // Without a group `init_command` starts an init (init.h); empty: there is none.
  explicit Containment(std::string run_id, std::unique_ptr<Cgroup> cgroup = nullptr,
                       std::vector<std::string> init_command = {});

  // For a part of the run, which has a mark of its own beside the run's: within the run's group, or
  // below an init of its own.
  Containment inside(std::string id) const;

  // A process that is never one of them, whatever the agent does: the host's own guardian, which an
  // agent can move into its control group.
  void spare(ProcessId process);

  // Starts a process of the run as its leader; see spawn_child().
  base::Result<Started> start(const std::vector<std::string>& argv, const std::string& cwd,
                              const std::vector<std::string>& env, const ChildStdio& stdio);

  size_t count();  // how many live
  std::vector<pid_t> living();

  // SIGTERM, once to each; returns how many live and can be signalled.
  size_t ask_to_end();

  // Kills them all: each is stopped until a look finds no other, so that none can fork unseen or
  // lose its family, then they die together. A look takes some 25 ms per thousand processes of the
  // system; there are two, one when there is nobody, and for up to 20 ms more when one cannot be
  // told for being in the middle of exec. The guardians of other hosts, if there are any, have
  // until `for_guardians` before they die, too; the run's init has up to 0.1 s to look for itself.
  // Returns how many were killed.
  size_t kill(std::chrono::milliseconds for_guardians = kForGuardians);

  // Its control group is somebody else's to remove; "": it has none.
  std::string leave_cgroup() { return cgroup_ ? cgroup_->leave() : ""; }
  // True: it has none, or none any more.
  bool remove_cgroup() const { return !cgroup_ || pty::remove_cgroup(cgroup_->path()); }

 private:
  base::Result<Started> start_below_init(const std::vector<std::string>& argv,
                                         const std::string& cwd,
                                         const std::vector<std::string>& env,
                                         const ChildStdio& stdio);
  Family look();
  void end_init();

  std::string run_id_;
  std::unique_ptr<Cgroup> cgroup_;
  std::vector<std::string> init_command_;
  ProcessId init_;
  Known known_;
  Known spared_;
  Known asked_;
};

}  // namespace orch::pty
