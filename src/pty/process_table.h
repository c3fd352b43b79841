#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "pty/run_mark.h"

// Processes as /proc shows them. A look takes time, so its result may be out of date already.
namespace orch::pty {

struct ProcessEntry {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
  pid_t foreground = 0;  // the process group in front on its terminal; -1: it has no terminal
  uint64_t start = 0;    // clock ticks since boot; with the pid it identifies a process for ever
  bool ended = false;    // a zombie
  bool kernel = false;   // a kernel thread, which has no memory and belongs to no run
};

// Whether /proc shows our own pid namespace. A process that enters one without mounting a /proc of
// its own sees the pids of another namespace.
bool proc_is_ours();

// Identifies one process for ever.
struct ProcessId {
  pid_t pid = 0;
  uint64_t start = 0;  // see ProcessEntry
};

// The most ancestors of a process to look at: parents change during the look, and so a chain might
// have no end.
inline constexpr int kMostAncestors = 4'096;

std::optional<ProcessEntry> read_process(pid_t pid);
ProcessId identify(pid_t pid);  // for a child of ours that is not reaped yet
bool lives(const ProcessId& process);
std::vector<pid_t> all_pids();
// The children of a process, zombies too, that its first thread has started or adopted: a thread
// keeps the children that it starts, but orphans come to the first one. nullopt if the process is
// gone, or the kernel lists no children (CONFIG_PROC_CHILDREN).
std::optional<std::vector<pid_t>> children_of(pid_t pid);
// Whether no child of a process lives. Children are ignored if `is_meant` is false for them, or if
// they started before `since`. Looks at the process and its children alone, not at all of the
// system. False also where it is unknown: the children change during the look, or it has further
// threads and is not this process.
bool has_no_living_child(pid_t pid, uint64_t since = 0,
                         const std::function<bool(pid_t)>& is_meant = nullptr);
std::vector<ProcessEntry> living_processes();

// The mark in the environment of a process, as it was at its exec; kNone if it may not be read.
Mark read_mark(pid_t pid, std::string_view run_id);

// Signals the process with this pid and start time, but never another one that has got the pid
// since: it is checked while we hold a pidfd. False if it is gone or we may not signal it.
bool signal_process(pid_t pid, uint64_t start, int signum);

}  // namespace orch::pty
