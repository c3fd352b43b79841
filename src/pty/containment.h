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

// Holds a run's processes together beyond the process group. A helper that calls setsid leaves the
// group and the session, but not
//  - the mark in its environment (run_mark.h), unless it clears it;
//  - its family: a process that descends from one of the run, or is in a session that one of them
//    led, until its parents are gone and it leads a session of its own;
//  - the run's control group, if there can be one; if there is none,
//  - the run's init (init.h), the ancestor of everything in the run for ever.
// A process belongs to the run if any of these says so. A process that has escaped all of them
// becomes a child of the host, which is a subreaper, and is killed when the last of its runs has
// ended (kill_strays). Not found are processes that others start on the agent's behalf
// (systemd-run, at, a daemon that was there before), and processes of another user.
//
// An agent may run orch itself, whose guardian is in the agent's run like everything else. It is
// killed last, so that it can put that orch's files in order first; as any process may claim to be
// a guardian, it has little time for that.
namespace orch::pty {

// From now on orphaned descendants become children of this process instead of init's.
base::Status become_subreaper();

// While it lives, this process is no reaper of orphans, if it was one. For the start of a server
// that is to outlive this process, and that would otherwise be killed as a stray.
class PassedByOrphans {
 public:
  PassedByOrphans();
  ~PassedByOrphans();
  PassedByOrphans(const PassedByOrphans&) = delete;
  PassedByOrphans& operator=(const PassedByOrphans&) = delete;

 private:
  int was_reaper_ = 0;
};

// Reaps the ended children that no ChildWatch of `loop` waits for: orphans that have come to us (as
// a subreaper or as PID 1). To be called on SIGCHLD. Returns how many there were.
size_t reap_orphans(const loop::Loop& loop);

// Whether no living orphan that started since then has come to us; false also if that is unknown.
// Anything that a child started then has left behind comes to us when its parents are gone,
// whatever it did.
bool has_no_orphan_since(const loop::Loop& loop, uint64_t since);

// Kills the orphans that have come to us, with their descendants: children that no ChildWatch of
// `loop` waits for and that started later than `since`, the start of another process. Older ones
// were children of the program that became orch by exec. Returns how many were killed.
size_t kill_strays(const loop::Loop& loop, uint64_t since);

// Kills our children that satisfy `is_meant`, with their descendants. Returns how many were killed.
size_t kill_children(const std::function<bool(const ProcessEntry&)>& is_meant);

// Signals the processes of a session that are not in its leader's process group. The leader must be
// a child of ours that is not reaped yet, so that its pid names no other session.
size_t signal_session_beyond_group(pid_t session, int signum);

// Finds and ends the processes of one run; this process is never one of them. Remembers the
// processes that it has seen, so that it still knows them when they lose their parents; to be used
// while a run ends, not for hours after.
class Containment {
 public:
  static constexpr std::chrono::milliseconds kForGuardians{500};

  // Without a group, `init_command` starts an init (init.h); empty: there is none either.
  explicit Containment(std::string run_id, std::unique_ptr<Cgroup> cgroup = nullptr,
                       std::vector<std::string> init_command = {});

  // For a part of the run that has a mark of its own in addition to the run's: in a group inside
  // the run's group, or below an init of its own.
  Containment inside(std::string id) const;

  // This process never counts as one of them: the host's own guardian, which an agent can move into
  // its control group.
  void spare(ProcessId process);

  // Starts a process of the run, as a session leader; see spawn_child().
  base::Result<Started> start(const std::vector<std::string>& argv, const std::string& cwd,
                              const std::vector<std::string>& env, const ChildStdio& stdio);

  // The living processes, and how many. While a process is in the middle of exec and so unclear,
  // these and ask_to_end() look again, for some 20 ms at most.
  std::vector<pid_t> living();
  size_t count() { return living().size(); }

  // Sends SIGTERM, once to each; returns how many live and can be signalled.
  size_t ask_to_end();

  // Kills them all. They are stopped first, until a look finds no other one, so that none can fork
  // unseen or lose its family; then they are killed together. A look takes some 10 ms for a
  // thousand processes on the system; there are two, only one if it finds none, and further ones
  // for up to 20 ms while a process is in the middle of exec and so unclear. Guardians of other
  // hosts have `for_guardians` to finish before they are killed, too; the run's init has up to 0.1
  // s to search by itself. Returns how many were killed.
  size_t kill(std::chrono::milliseconds for_guardians = kForGuardians);
  // The same, without a look if nobody can be left: all that were started here have ended, and no
  // orphan has come to the run's init or, if there is none, to this process, whose loop is given.
  size_t kill_rest(const loop::Loop& loop);

  // Hands over the control group, which the caller then has to remove; "": there is none.
  std::string leave_cgroup() { return cgroup_ ? cgroup_->leave() : ""; }
  // True: there is no control group, or none any more.
  bool remove_cgroup() const { return !cgroup_ || pty::remove_cgroup(cgroup_->path()); }

 private:
  base::Result<Started> start_below_init(const std::vector<std::string>& argv,
                                         const std::string& cwd,
                                         const std::vector<std::string>& env,
                                         const ChildStdio& stdio);
  void begun(ProcessId process);
  bool nobody_is_left(const loop::Loop& loop) const;
  Family look();
  Family clear_look();  // looks again while a process is unclear
  void end_init();

  std::string run_id_;
  std::unique_ptr<Cgroup> cgroup_;
  std::vector<std::string> init_command_;
  ProcessId init_;
  uint64_t begun_ = 0;  // when its first process started; 0: another host started it
  Known known_;
  Known spared_;
  Known asked_;
};

}  // namespace orch::pty
