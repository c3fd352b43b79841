#include "cli/output_stream.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

namespace orch::cli {
namespace {

// A pipe or socket that polls writable takes this much without blocking (pipe(7): PIPE_BUF).
constexpr size_t kChunk = 4096;

// A terminal polls writable with room for one byte, and a write of more blocks. Opened anew it does
// not, for us alone: the mode belongs to the open file, which others share.
base::Fd open_terminal(int fd) {
  if (::isatty(fd) == 0) return {};
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  return base::Fd(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

}  // namespace

OutputStream::OutputStream(loop::Loop& loop, int fd)
    : terminal_(open_terminal(fd)),
      fd_(terminal_.valid() ? terminal_.get() : fd),
      watch_(loop, fd_) {}

void OutputStream::write(std::string bytes) {
  if (closed_ || bytes.empty()) return;
  queue_.push_back(std::move(bytes));
  watch();
}

void OutputStream::watch() {
  if (!watch_.active()) watch_.start(loop::kWritable, [this](int) { on_writable(); });
}

void OutputStream::when_drained(std::function<void()> on_drained) {
  if (queue_.empty()) return on_drained();
  on_drained_ = std::move(on_drained);
}

void OutputStream::flush() {
  pollfd ready{.fd = fd_, .events = POLLOUT, .revents = 0};
  while (!queue_.empty() && ::poll(&ready, 1, 0) > 0) on_writable();
}

// One chunk for each time the descriptor was polled: a second one might block.
void OutputStream::on_writable() {
  const std::string& front = queue_.front();
  const size_t size = std::min(kChunk, front.size() - offset_);
  const ssize_t written = ::write(fd_, front.data() + offset_, size);
  if (written < 0) {
    if (errno == EINTR || errno == EAGAIN) return;
    closed_ = true;
    queue_.clear();
  } else {
    offset_ += static_cast<size_t>(written);
    if (offset_ == front.size()) {
      queue_.pop_front();
      offset_ = 0;
    }
  }
  if (!queue_.empty()) return;
  watch_.stop();
  if (on_drained_) std::exchange(on_drained_, nullptr)();
}

}  // namespace orch::cli
