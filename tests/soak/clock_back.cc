// Preloaded into a program: the wall clock goes back by a minute each time it is read. The
// monotonic clock is unchanged.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static std::atomic<time_t> behind{0};
  const auto result = static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
  if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec -= behind.fetch_add(60);
  return result;
}
