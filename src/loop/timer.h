#pragma once

#include <cstdint>
#include <functional>

#include "loop/handle.h"

namespace orch::loop {

class Loop;

// A one-shot timer by Loop::now_ms(); it keeps Loop::run() running while it is active. One that
// comes late lets descriptors be looked at first: whoever sets a limit hears what came in time
// before the limit acts.
class Timer {
 public:
  explicit Timer(Loop& loop);

  // Calls on_fire once, delay_ms from now (at once in the next turn if that is not positive). A
  // timer that is already active is set anew.
  void start(int64_t delay_ms, std::function<void()> on_fire);
  void stop();  // on_fire will not be called
  bool active() const;

 private:
  static void on_due(uv_timer_s* handle) noexcept;
  void arm();

  Loop& loop_;
  HandlePtr<uv_timer_s> handle_;
  std::function<void()> on_fire_;
  int64_t due_ms_ = 0;
  bool gave_way_ = false;  // it came late, and fires in the next turn
};

}  // namespace orch::loop
