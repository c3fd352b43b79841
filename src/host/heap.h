#pragma once

#include <cstddef>

#include "loop/timer.h"

namespace orch::host {

// Makes the allocator keep freed buffers of up to a megabyte: a flood of output needs such buffers
// again and again, and every page that comes from the system has to be cleared first.
void keep_flood_buffers();

// Returns the memory that the allocator keeps to the system once a session's flood of output is
// over, or else a host would keep the most that its sessions have ever used.
class FloodWatch {
 public:
  explicit FloodWatch(loop::Loop& loop) : rest_(loop) {}
  void on_output(size_t bytes);  // that came at once

 private:
  loop::Timer rest_;
};

}  // namespace orch::host
