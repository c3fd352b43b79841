#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Evidence from /proc whether an agent whose terminal is silent is still at work. Needs no
// privileges.
namespace orch::pty {

// The usage of one process in its life so far, including its threads and the children that it has
// reaped, so that a child that came and went between two looks also shows.
struct ProcessLife {
  pid_t pid = 0;
  uint64_t start = 0;  // see ProcessEntry
  std::string name;    // the beginning of the command's name, printable
  int64_t cpu_ms = 0;  // in steps of a clock tick, mostly 10 ms
  // Moved by read(2), write(2) and the like, whatever the file is; not by recv(2) and send(2). 0 if
  // we may not read that.
  int64_t bytes_read = 0;
  int64_t bytes_written = 0;
  // How long its first thread could have run and had to wait for a processor; 0 where the kernel
  // does not report it.
  int64_t waited_ms = 0;
};

struct LifeSigns {
  int64_t at_ms = 0;  // by the monotonic clock
  std::vector<ProcessLife>
      processes;                // the agent, then the others by pid; empty: the agent is gone
  int sockets_open = 0;         // of any kind, each counted once; -1: not known
  int sockets_established = 0;  // TCP sockets that are connected

  size_t child_count() const { return processes.empty() ? 0 : processes.size() - 1; }
  std::vector<std::string> child_names() const;  // of the first 10
  int64_t cpu_ms() const;
  int64_t bytes_read() const;
  int64_t bytes_written() const;
};

// Looks at the agent's process, its descendants, and all processes of the sessions that one of
// these leads. Processes that vanish during the look, or may not be read, are left out.
LifeSigns read_life_signs(pid_t agent);

// The same for processes that cannot be seen from this machine, from a listing that was made where
// they run: for each the file `stat` of proc(5), then its file `io` if that may be read. The agent,
// which started before its descendants, comes first. Pure.
LifeSigns life_signs_in(std::string_view listing, int64_t at_ms);

// Whether more has happened between two looks at an agent than in an idle terminal program: there
// is a new process, or the known ones have used CPU time or moved bytes beyond the noise. Pure.
// That nothing shows does not prove that the agent is dead: a child may be asleep, or an answer may
// take long.
bool shows_life(const LifeSigns& before, const LifeSigns& after);

}  // namespace orch::pty
