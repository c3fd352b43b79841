#pragma once

#include <cstdint>
#include <functional>

#include "loop/handle.h"

namespace orch::loop {

class Loop;

// A one-shot timer by Loop::now_ms(). It keeps Loop::run() running while it is active. A timer that
// fires late lets the loop look at descriptors first, so that events that came in time are handled
// before a time limit acts.
class Timer {
 public:
  explicit Timer(Loop& loop);

  // Calls on_fire once, after delay_ms (in the next turn if that is not positive). Replaces an
  // earlier start.
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
  bool gave_way_ = false;  // it was late, and fires in the next turn
};

}  // namespace orch::loop
