#pragma once

#include <cstddef>
#include <cstdint>

#include "loop/timer.h"

namespace orch::host {

// Makes the allocator keep freed buffers of up to a megabyte: a flood of output needs buffers of
// that size again and again, and every page that comes from the system has to be cleared first.
void keep_flood_buffers();

// Returns the memory that the allocator keeps to the system once sessions have begun, ended, or
// drawn a flood, and all of them rest. Otherwise a host would keep the most that they have ever
// used. A host has one for all its sessions.
class HeapWatch {
 public:
  explicit HeapWatch(loop::Loop& loop) : loop_(loop), rest_(loop) {}
  void on_change();              // a session has begun, which takes more than it keeps, or ended
  void stop() { rest_.stop(); }  // until on_change() or on_output()
  void on_output(size_t bytes);  // bytes that one session's agent has written at once

 private:
  void trim_in(int64_t wait_ms);

  loop::Loop& loop_;
  loop::Timer rest_;
  int64_t due_ms_ = 0;     // by the loop's clock
  int64_t latest_ms_ = 0;  // when it is done at the latest
};

}  // namespace orch::host
