#pragma once

#include <chrono>
#include <ctime>

namespace orch {

// What this process has computed for so far: unlike a clock on the wall it does not run faster
// where others compute as well.
inline std::chrono::nanoseconds cpu_time() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace orch
