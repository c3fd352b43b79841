#pragma once

#include <deque>
#include <functional>
#include <string>

#include "base/fd.h"
#include "loop/fd_watch.h"
#include "loop/loop.h"

namespace orch::cli {

// Standard output for a program that must never wait for its reader: what is not taken now is kept
// and follows in order. A reader that closes ends the stream, nothing else.
class OutputStream {
 public:
  OutputStream(loop::Loop& loop, int fd);  // fd is not owned; its blocking mode is left as it is

  void write(std::string bytes);
  // Writes what the reader takes without waiting: before something goes to another stream.
  void flush();
  // Calls on_drained, once, when all was taken or the reader is gone: at once when that is so.
  void when_drained(std::function<void()> on_drained);

 private:
  void on_writable();
  void watch();

  base::Fd terminal_;  // fd opened anew where that is a terminal, else empty
  int fd_;
  loop::FdWatch watch_;
  bool closed_ = false;
  std::deque<std::string> queue_;
  size_t offset_ = 0;  // of queue_.front(), already written
  std::function<void()> on_drained_;
};

}  // namespace orch::cli
