#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/result.h"

namespace orch::live {

// What a process has used since it started, of /proc/PID; differences are what counts.
struct Counters {
  double cpu_ms = 0;        // user and system, of its main thread
  uint64_t sleeps = 0;      // voluntary context switches of all threads: each ends in a wake-up
  uint64_t preempted = 0;   // the involuntary ones
  uint64_t reads = 0;       // calls
  uint64_t writes = 0;      // calls
  uint64_t read_bytes = 0;  // from whatever
  uint64_t written_bytes = 0;
};
Counters operator-(const Counters& a, const Counters& b);
base::Result<Counters> counters_of(pid_t pid);

// Resident memory in KB: with its share of what it shares, and what is its own alone.
struct Memory {
  double proportional_kb = 0;
  double private_kb = 0;
};
base::Result<Memory> memory_of(pid_t pid);

double thread_cpu_ms();         // of the calling thread
double monotonic_ms();          // CLOCK_MONOTONIC
uint64_t allocations_so_far();  // calls of operator new in this process

}  // namespace orch::live
