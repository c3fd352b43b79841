#include "loop/signal_watch.h"

#include <uv.h>

#include <utility>

#include "base/check.h"
#include "loop/loop.h"

namespace orch::loop {

SignalWatch::SignalWatch(Loop& loop, int signum, std::function<void(int)> on_signal)
    : on_signal_(std::move(on_signal)) {
  auto handle = std::make_unique<uv_signal_t>();
  ORCH_CHECK(uv_signal_init(loop.uv(), handle.get()) == 0);
  handle->data = this;
  handle_.reset(handle.release());
  ORCH_CHECK(uv_signal_start(handle_.get(), &SignalWatch::on_delivery, signum) == 0);
  uv_unref(reinterpret_cast<uv_handle_t*>(handle_.get()));
}

void SignalWatch::keep_running() { uv_ref(reinterpret_cast<uv_handle_t*>(handle_.get())); }

void SignalWatch::on_delivery(uv_signal_t* handle, int signum) noexcept {
  auto* watch = static_cast<SignalWatch*>(handle->data);
  if (watch == nullptr) return;
  auto on_signal = std::exchange(watch->on_signal_, nullptr);
  on_signal(signum);
  if (handle->data != nullptr) watch->on_signal_ = std::move(on_signal);
}

}  // namespace orch::loop
