#pragma once

#include <cstdint>
#include <memory>

#include "loop/background.h"
#include "loop/handle.h"

namespace orch::loop {

class Loop;

// How long the destructor of a loop waits for jobs that have begun and whose owner is gone.
inline constexpr int64_t kLastJobMs = 1000;

struct Background::Begun {
  Background* owner = nullptr;  // used in the loop's thread only; null: it is gone
  std::unique_ptr<Job> job;
};

// The jobs of a loop's Backgrounds that have begun, each in a thread of its own, and the channel
// that reports their ends to the loop. A thread outlives this if its job does not end.
class Jobs {
 public:
  explicit Jobs(Loop& loop);
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  void begin(const std::shared_ptr<Background::Begun>& begun);

 private:
  struct Ended;
  static void on_bell(uv_async_s* handle) noexcept;
  void on_ended();

  HandlePtr<uv_async_s> bell_;  // wakes the loop; the threads call uv_async_send() on it
  std::shared_ptr<Ended> ended_;
  size_t running_ = 0;
};

}  // namespace orch::loop
