#include "loop/watched_fd.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "loop/loop.h"

namespace orch::loop {

static_assert(kReadable == UV_READABLE && kWritable == UV_WRITABLE);

WatchedFd::WatchedFd(Loop& loop, base::Fd fd) : fd_(std::move(fd)) {
  if (!fd_.valid()) return;
  file_ = file_at(fd_.get());
  const int flags = ::fcntl(fd_.get(), F_GETFL);
  ORCH_CHECK(flags >= 0);
  auto poll = std::make_unique<uv_poll_t>();
  const int error = uv_poll_init(loop.uv(), poll.get(), fd_.get());
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
  // libuv has made it non-blocking, which others who share the open file (a shell, for stderr)
  // would notice.
  ORCH_CHECK(::fcntl(fd_.get(), F_SETFL, flags) == 0);
}

base::Fd WatchedFd::share(int fd) {
  base::Fd own = base::duplicate(fd);
  if (!own.valid()) throw std::system_error(errno, std::generic_category(), "watch a descriptor");
  return own;
}

WatchedFd::File WatchedFd::file_at([[maybe_unused]] int fd) {
#ifdef NDEBUG
  return {};
#else
  struct stat status {};
  if (::fstat(fd, &status) != 0) return {};
  return {status.st_dev, status.st_ino};
#endif
}

void WatchedFd::check_file() const { ORCH_CHECK(file_at(fd_.get()) == file_); }

void WatchedFd::start(int events, std::function<void(int)> on_ready) {
  events_ = events;
  on_ready_ = std::move(on_ready);
  arm();
}

void WatchedFd::arm() {
  ORCH_CHECK(fd_.valid());
  check_file();
  const int error = poll_ ? uv_poll_start(poll_.get(), events_, &WatchedFd::on_poll)
                          : uv_idle_start(always_ready_.get(), &WatchedFd::on_idle);
  ORCH_CHECK(error == 0);
}

void WatchedFd::stop() {
  if (fd_.valid()) check_file();
  if (poll_) uv_poll_stop(poll_.get());
  if (always_ready_) uv_idle_stop(always_ready_.get());
  on_ready_ = nullptr;
}

void WatchedFd::close() {
  stop();
  poll_.reset();
  always_ready_.reset();
  fd_.reset();
}

bool WatchedFd::active() const {
  if (poll_) return uv_is_active(reinterpret_cast<uv_handle_t*>(poll_.get()));
  return always_ready_ && uv_is_active(reinterpret_cast<uv_handle_t*>(always_ready_.get()));
}

template <typename Handle>
void WatchedFd::deliver(Handle* handle, int ready) {
  auto* watch = static_cast<WatchedFd*>(handle->data);
  auto on_ready = std::exchange(watch->on_ready_, nullptr);
  on_ready(ready);
  const bool untouched = handle->data != nullptr && watch->active() && !watch->on_ready_;
  if (untouched) watch->on_ready_ = std::move(on_ready);
}

void WatchedFd::on_poll(uv_poll_t* handle, int status, int events) noexcept {
  auto* watch = static_cast<WatchedFd*>(handle->data);
  if (watch == nullptr) return;
  if (status < 0) watch->arm();  // libuv stops watching a descriptor with an error condition
  const int ready = status < 0 ? watch->events_ : events & watch->events_;
  if (ready != 0) deliver(handle, ready);
}

void WatchedFd::on_idle(uv_idle_t* handle) noexcept {
  auto* watch = static_cast<WatchedFd*>(handle->data);
  if (watch != nullptr) deliver(handle, watch->events_);
}

}  // namespace orch::loop
