#include "pty/transfer.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace orch::pty {
namespace {

constexpr int kWritesPerWakeUp = 16;

}  // namespace

ReadBurst read_burst(int fd, std::span<char> buffer) {
  size_t filled = 0;
  bool at_end = false;
  for (int reads = 0; reads < kReadsPerWakeUp && filled < buffer.size(); ++reads) {
    const ssize_t n = ::read(fd, buffer.data() + filled, buffer.size() - filled);
    if (n > 0) {
      filled += static_cast<size_t>(n);
    } else if (n == 0 || errno != EINTR) {
      at_end = n == 0 || errno != EAGAIN;
      break;
    }
  }
  return {{buffer.data(), filled}, at_end};
}

void WriteQueue::push(std::string bytes) {
  if (empty()) {
    bytes_ = std::move(bytes);
    start_ = 0;
  } else {
    bytes_ += bytes;
  }
}

void WriteQueue::clear() {
  bytes_.clear();
  start_ = 0;
}

bool WriteQueue::flush(int fd) {
  for (int writes = 0; writes < kWritesPerWakeUp && !empty(); ++writes) {
    const ssize_t n = ::write(fd, bytes_.data() + start_, size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno != EAGAIN) return false;
    if (n <= 0) break;
    start_ += static_cast<size_t>(n);
  }
  if (start_ > bytes_.size() / 2) {  // so that each byte is moved once on average
    bytes_.erase(0, start_);
    start_ = 0;
  }
  return true;
}

}  // namespace orch::pty
