#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

// One wake-up's worth of reading and writing on non-blocking descriptors: as much as is there, but
// bounded, so that one busy child cannot starve the loop.
namespace orch::pty {

// A read on a pty master returns ~4 KB whatever the buffer: sixteen of them fill
// it.
constexpr size_t kReadBufferBytes = 64 * 1024;
constexpr int kReadsPerWakeUp = 16;

struct ReadBurst {
  std::string_view bytes;  // in the buffer given
  bool at_end = false;     // no more will come; EIO, a pty master's way to say so, included
};
ReadBurst read_burst(int fd, std::span<char> buffer);

// Bytes on their way to a descriptor, in order.
class WriteQueue {
 public:
  void push(std::string bytes);
  void clear();
  size_t size() const { return bytes_.size() - start_; }
  bool empty() const { return size() == 0; }

  // Writes what fd takes now. False when fd takes no more for ever (its reader is gone).
  bool flush(int fd);

 private:
  std::string bytes_;
  size_t start_ = 0;  // written up to here
};

}  // namespace orch::pty
