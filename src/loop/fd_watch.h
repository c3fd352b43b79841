#pragma once

#include <functional>

#include "loop/handle.h"

namespace orch::loop {

class Loop;

constexpr int kReadable = 1;
constexpr int kWritable = 2;

// Tells when a descriptor can be read or written, again and again while that is so
// (level-triggered). The descriptor belongs to the caller, must stay open while the watch lives,
// may have one started watch, and keeps its blocking mode. A regular file, which cannot be polled,
// is always ready. End of file, hang-up and errors are told as every event asked for: the caller's
// read or write finds out which. Keeps Loop::run() running while started.
class FdWatch {
 public:
  FdWatch(Loop& loop, int fd);

  // events: kReadable, kWritable or both; on_ready gets those that hold. Replaces an earlier start.
  void start(int events, std::function<void(int ready)> on_ready);
  void stop();
  bool active() const;

 private:
  static void on_poll(uv_poll_s* handle, int status, int events) noexcept;
  static void on_idle(uv_idle_s* handle) noexcept;
  void arm();
  template <typename Handle>
  static void deliver(Handle* handle, int ready);

  HandlePtr<uv_poll_s> poll_;
  HandlePtr<uv_idle_s> always_ready_;  // in place of poll_ for regular files
  int events_ = 0;
  std::function<void(int)> on_ready_;
};

}  // namespace orch::loop
