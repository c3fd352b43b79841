#include "loop/timer.h"

#include <uv.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "loop/loop.h"

namespace orch::loop {

Timer::Timer(Loop& loop) : loop_(loop) {
  auto handle = std::make_unique<uv_timer_t>();
  ORCH_CHECK(uv_timer_init(loop.uv(), handle.get()) == 0);
  handle->data = this;
  handle_.reset(handle.release());
}

void Timer::start(int64_t delay_ms, std::function<void()> on_fire) {
  on_fire_ = std::move(on_fire);
  due_ms_ = loop_.now_ms() + std::max<int64_t>(delay_ms, 0);
  gave_way_ = false;
  arm();
}

// libuv counts from when it last read its clock, which is behind ours, and never stands still.
void Timer::arm() {
  const auto due = static_cast<uint64_t>(due_ms_ + (loop_.stood_still_us() + 999) / 1'000);
  const uint64_t now = uv_now(loop_.uv());
  ORCH_CHECK(uv_timer_start(handle_.get(), &Timer::on_due, due > now ? due - now : 0, 0) == 0);
}

void Timer::stop() {
  uv_timer_stop(handle_.get());
  on_fire_ = nullptr;
}

bool Timer::active() const { return uv_is_active(reinterpret_cast<uv_handle_t*>(handle_.get())); }

void Timer::on_due(uv_timer_t* handle) noexcept {
  auto* timer = static_cast<Timer*>(handle->data);
  if (timer == nullptr) return;
  const int64_t late_ms = timer->loop_.now_ms() - timer->due_ms_;
  if (late_ms < 0) return timer->arm();  // the process, and with it the clock, has stood still
  if (late_ms > kLateMs && !std::exchange(timer->gave_way_, true)) {
    // In this turn libuv runs timers before descriptors, in the next one after them.
    ORCH_CHECK(uv_timer_start(handle, &Timer::on_due, 1, 0) == 0);
    return;
  }
  const auto on_fire = std::exchange(timer->on_fire_, nullptr);
  on_fire();
}

}  // namespace orch::loop
