#pragma once

#include <cstdint>
#include <memory>

#include "loop/background.h"
#include "loop/handle.h"

namespace orch::loop {

class Loop;

// How long the end of a loop waits for jobs that were begun and of which nobody is to be told.
inline constexpr int64_t kLastJobMs = 1000;

struct Background::Begun {
  Background* owner = nullptr;  // of the loop's thread alone; empty: it is gone
  std::unique_ptr<Job> job;
};

// The jobs of a loop's Backgrounds that were begun, each in a thread of its own, and how their
// threads tell of their ends. A thread outlives this where its job does not end.
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

  HandlePtr<uv_async_s> bell_;  // what the threads ring
  std::shared_ptr<Ended> ended_;
  size_t running_ = 0;
};

}  // namespace orch::loop
