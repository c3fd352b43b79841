#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Is an agent whose terminal is silent still at work? Evidence from /proc, without privileges.
namespace orch::pty {

// What one process has used in its life so far, its threads included and the children that it has
// reaped: so one that came and went between two looks shows too.
struct ProcessLife {
  pid_t pid = 0;
  uint64_t start = 0;  // as ProcessEntry's
  std::string name;    // the beginning of its command, printable
  int64_t cpu_ms = 0;  // to the clock tick, mostly 10 ms
  // By read(2) and write(2) and their like, from anywhere; not by recv(2) and send(2). 0 where the
  // process may not be asked.
  int64_t bytes_read = 0;
  int64_t bytes_written = 0;
};

struct LifeSigns {
  int64_t at_ms = 0;  // of the monotonic clock
  std::vector<ProcessLife>
      processes;                // the agent, then all others by pid; empty: the agent is gone
  int sockets_open = 0;         // of any kind, each once however many hold it; -1: not known
  int sockets_established = 0;  // those of TCP that are connected

  size_t child_count() const { return processes.empty() ? 0 : processes.size() - 1; }
  std::vector<std::string> child_names() const;  // of the first 10
  int64_t cpu_ms() const;
  int64_t bytes_read() const;
  int64_t bytes_written() const;
};

// Looks at the agent's process, what descends from it, and who is in a session that one of these
// leads. Processes that vanish meanwhile or may not be read are left out.
LifeSigns read_life_signs(pid_t agent);

// The same of processes that are not this machine's to look at, from what a look at them has
// listed: for each its file stat of proc(5), then its file io where that may be read. Those of the
// agent, which has started before what it starts, come first. Pure.
LifeSigns life_signs_in(std::string_view listing, int64_t at_ms);

// Whether between two looks at one agent more happened than in a terminal program that idles: a
// process came that was not there, or what was there used CPU or moved bytes beyond the noise.
// Pure. That nothing shows is no proof of death: a child may well sleep, an answer be long in
// coming.
bool shows_life(const LifeSigns& before, const LifeSigns& after);

}  // namespace orch::pty
