#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

// Reads and writes on non-blocking descriptors in one turn of the loop: as much as there is, but
// limited, so that one busy child cannot starve the loop.
namespace orch::pty {

// A read on a pty master returns ~4 KB however large the buffer is: sixteen of them fill it.
constexpr size_t kReadBufferBytes = 64 * 1024;
constexpr int kReadsPerWakeUp = 16;

struct ReadBurst {
  std::string_view bytes;  // in the caller's buffer
  bool at_end = false;     // no more will come; a pty master says so by EIO
};
ReadBurst read_burst(int fd, std::span<char> buffer);

// Bytes that wait to be written to a descriptor, in order.
class WriteQueue {
 public:
  void push(std::string bytes);
  void clear();
  size_t size() const { return bytes_.size() - start_; }
  bool empty() const { return size() == 0; }

  // Writes as much as the descriptor takes now. False if it will never take more (its reader is
  // gone).
  bool flush(int fd);

 private:
  std::string bytes_;
  size_t start_ = 0;  // bytes before it are written
};

}  // namespace orch::pty
