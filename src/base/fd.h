#pragma once

#include <utility>

namespace orch::base {

// Owns a file descriptor and closes it; an empty one is -1. Moving from it empties it.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { reset(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1);  // closes the previous descriptor

 private:
  int fd_ = -1;
};

// A duplicate of a descriptor (another number for the same open file), close-on-exec and above the
// standard three; empty, with errno, if the system has none left.
Fd duplicate(int fd);

}  // namespace orch::base
