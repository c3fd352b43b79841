#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace orch::loop {
class Loop;
}

// What holds a run's processes together beyond the process group: a helper that calls setsid leaves
// the group and the session but neither the mark in its environment nor, with a subreaper, our
// family. Processes are signalled through a pidfd taken before they are looked at, so never a
// stranger.
namespace orch::pty {

// The mark: every child of a run has ORCH_RUN=<run id> in its environment, and so have its
// descendants unless they clear it.
constexpr std::string_view kRunMark = "ORCH_RUN";

// From now on orphaned descendants become our children instead of init's.
base::Status become_subreaper();

// Reaps the ended children that no ChildWatch of `loop` waits for: orphans that came to us (as a
// subreaper or as PID 1). To be called on SIGCHLD. Returns how many there were.
size_t reap_orphans(const loop::Loop& loop);

// Signals every process, but ourselves, that carries this run's mark and may be looked at; looks
// again until there is no new one, so that neither a fork nor an exec in between lets one escape
// (which may take 20 ms). Returns how many were signalled, each once; the dead are not counted.
// Signal 0 counts.
size_t kill_marked(std::string_view run_id, int signum);

// Signals the processes of a session that are not in its leader's process group. The leader must be
// a child of ours that is not reaped yet, so that its pid names no other session.
size_t signal_session_beyond_group(pid_t session, int signum);

}  // namespace orch::pty
