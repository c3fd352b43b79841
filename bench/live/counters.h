#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/result.h"

namespace orch::live {

// What a process has used since its start, from /proc/PID. Only differences are meaningful.
struct Counters {
  double cpu_ms = 0;        // user and system time of the main thread
  uint64_t sleeps = 0;      // voluntary context switches of all threads; each ends in a wake-up
  uint64_t preempted = 0;   // involuntary context switches
  uint64_t reads = 0;       // read calls
  uint64_t writes = 0;      // write calls
  uint64_t read_bytes = 0;  // from files, pipes and terminals alike
  uint64_t written_bytes = 0;
};
Counters operator-(const Counters& a, const Counters& b);
base::Result<Counters> counters_of(pid_t pid);

// Resident memory in KB: proportional_kb includes the process's share of shared pages, private_kb
// is its own pages alone.
struct Memory {
  double proportional_kb = 0;
  double private_kb = 0;
};
base::Result<Memory> memory_of(pid_t pid);

double thread_cpu_ms();         // CPU time of the calling thread
double monotonic_ms();          // CLOCK_MONOTONIC
uint64_t allocations_so_far();  // calls of operator new in this process

}  // namespace orch::live
