#pragma once

#include <chrono>
#include <ctime>

namespace orch {

// The processor time that this process has used. Unlike a wall clock it does not depend on what
// else the machine computes.
inline std::chrono::nanoseconds cpu_time() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace orch
