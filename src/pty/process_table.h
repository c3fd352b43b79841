#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "pty/run_mark.h"

// Processes as /proc shows them. A look is not a moment: what it tells may have changed already.
namespace orch::pty {

struct ProcessEntry {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
  pid_t foreground = 0;  // the process group that its terminal's keys go to; -1: it has none
  uint64_t start = 0;    // clock ticks since boot: with the pid it names one process for ever
  bool ended = false;    // a zombie
  bool kernel = false;   // a thread of the kernel's, which has no memory and is of no run
};

// Whether /proc shows our pid namespace. In one that was entered without a /proc of its own, the
// numbers there are another namespace's.
bool proc_is_ours();

// Names one process for ever.
struct ProcessId {
  pid_t pid = 0;
  uint64_t start = 0;  // as ProcessEntry's
};

std::optional<ProcessEntry> read_process(pid_t pid);
ProcessId identify(pid_t pid);  // of a child of ours that is not reaped yet
bool lives(const ProcessId& process);
std::vector<pid_t> all_pids();
std::vector<ProcessEntry> living_processes();

// What the environment of a process says, as it was at its exec; kNone where it may not be read.
Mark read_mark(pid_t pid, std::string_view run_id);

// Signals the process that has this pid and start, and never one that got the pid since: it is
// looked at with a pidfd in hand. False when it is gone or not ours to signal.
bool signal_process(pid_t pid, uint64_t start, int signum);

}  // namespace orch::pty
