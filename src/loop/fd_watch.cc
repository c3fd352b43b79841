#include "loop/fd_watch.h"

#include <fcntl.h>
#include <uv.h>

#include <utility>

#include "base/check.h"
#include "loop/loop.h"

namespace orch::loop {

static_assert(kReadable == UV_READABLE && kWritable == UV_WRITABLE);

FdWatch::FdWatch(Loop& loop, int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  ORCH_CHECK(flags >= 0);
  auto poll = std::make_unique<uv_poll_t>();
  const int error = uv_poll_init(loop.uv(), poll.get(), fd);
  if (error == UV_EPERM) {  // epoll refuses regular files
    auto idle = std::make_unique<uv_idle_t>();
    ORCH_CHECK(uv_idle_init(loop.uv(), idle.get()) == 0);
    idle->data = this;
    always_ready_.reset(idle.release());
    return;
  }
  ORCH_CHECK(error == 0);
  poll->data = this;
  poll_.reset(poll.release());
  // libuv has made it non-blocking, which whoever shares the open file (a shell, stderr) would
  // notice.
  ORCH_CHECK(::fcntl(fd, F_SETFL, flags) == 0);
}

void FdWatch::start(int events, std::function<void(int)> on_ready) {
  events_ = events;
  on_ready_ = std::move(on_ready);
  arm();
}

void FdWatch::arm() {
  const int error = poll_ ? uv_poll_start(poll_.get(), events_, &FdWatch::on_poll)
                          : uv_idle_start(always_ready_.get(), &FdWatch::on_idle);
  ORCH_CHECK(error == 0);
}

void FdWatch::stop() {
  if (poll_) uv_poll_stop(poll_.get());
  if (always_ready_) uv_idle_stop(always_ready_.get());
  on_ready_ = nullptr;
}

bool FdWatch::active() const {
  return poll_ ? uv_is_active(reinterpret_cast<uv_handle_t*>(poll_.get()))
               : uv_is_active(reinterpret_cast<uv_handle_t*>(always_ready_.get()));
}

template <typename Handle>
void FdWatch::deliver(Handle* handle, int ready) {
  auto* watch = static_cast<FdWatch*>(handle->data);
  auto on_ready = std::exchange(watch->on_ready_, nullptr);
  on_ready(ready);
  const bool untouched = handle->data != nullptr && watch->active() && !watch->on_ready_;
  if (untouched) watch->on_ready_ = std::move(on_ready);
}

void FdWatch::on_poll(uv_poll_t* handle, int status, int events) noexcept {
  auto* watch = static_cast<FdWatch*>(handle->data);
  if (watch == nullptr) return;
  if (status < 0) watch->arm();  // libuv stops watching a descriptor with an error condition
  const int ready = status < 0 ? watch->events_ : events & watch->events_;
  if (ready != 0) deliver(handle, ready);
}

void FdWatch::on_idle(uv_idle_t* handle) noexcept {
  auto* watch = static_cast<FdWatch*>(handle->data);
  if (watch != nullptr) deliver(handle, watch->events_);
}

}  // namespace orch::loop
