#pragma once

#include <cstddef>

#include "loop/timer.h"

namespace orch::host {

// A flood of output takes buffers of up to a megabyte again and again. The allocator keeps them
// from now on instead of asking the system for each: a page given back has to be cleared anew.
void keep_flood_buffers();

// ... and gives them back once a session's flood is over, or a host would keep the most that each
// of its sessions ever took.
class FloodWatch {
 public:
  explicit FloodWatch(loop::Loop& loop) : rest_(loop) {}
  void on_output(size_t bytes);  // that came at once

 private:
  loop::Timer rest_;
};

}  // namespace orch::host
