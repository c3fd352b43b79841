#pragma once

#include <memory>

struct uv_async_s;
struct uv_check_s;
struct uv_idle_s;
struct uv_poll_s;
struct uv_prepare_s;
struct uv_signal_s;
struct uv_timer_s;

namespace orch::loop {

// Destroys a libuv handle: clears its `data`, so that no callback reaches the owner any more,
// closes it, and frees it in the close callback, one turn of the loop later.
struct CloseHandle {
  void operator()(uv_async_s* handle) const noexcept;
  void operator()(uv_check_s* handle) const noexcept;
  void operator()(uv_idle_s* handle) const noexcept;
  void operator()(uv_poll_s* handle) const noexcept;
  void operator()(uv_prepare_s* handle) const noexcept;
  void operator()(uv_signal_s* handle) const noexcept;
  void operator()(uv_timer_s* handle) const noexcept;
};

template <typename Handle>
using HandlePtr = std::unique_ptr<Handle, CloseHandle>;

}  // namespace orch::loop
