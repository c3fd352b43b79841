#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "loop/loop.h"
#include "loop/timer.h"
#include "loop/watched_fd.h"

namespace orch::ui {

// What is kept for a reader that stands still, before the agents are made to wait for it.
inline constexpr size_t kMostWaitingBytes = 8 << 20;
// What is kept for a reader that reads, but more slowly than the agents speak: less, since what it
// reads should not be old.
inline constexpr size_t kMostBehindBytes = 512 << 10;
inline constexpr int64_t kStandsStillMs = 100;  // it has taken nothing for so long

// Standard output for a program that must never wait for its reader: what is not taken now is kept
// and follows in order. A reader that closes ends the stream, nothing else.
class OutputStream {
 public:
  OutputStream(loop::Loop& loop, int fd);  // fd is not owned; its blocking mode is left as it is

  void write(std::string bytes);
  // Writes what the reader takes without waiting: before something goes to another stream.
  void flush();
  // Until release() nothing is given to the reader, as if it was slow.
  void hold();
  void release();
  // Forgets what the reader has not taken yet, also the rest of a write of which it has taken a
  // part, and whoever waits until it is drained.
  void discard();
  // From now on `on_full` is called when more bytes wait than may, and `on_room` when there is room
  // again: only half of kMostBehindBytes wait, or the reader is gone, or it stands still and what
  // waits fits into kMostWaitingBytes. Either may be called from inside write() and flush().
  void watch_fill(std::function<void()> on_full, std::function<void()> on_room);
  // Called once, with its errno, when a write has failed in another way than for want of a reader:
  // from inside flush() or the loop. What is left is forgotten before, and what comes is dropped.
  void watch_error(std::function<void(int)> on_error) { tell_error_ = std::move(on_error); }
  // Calls on_drained, once, when all was taken or the reader is gone: at once when that is so.
  void when_drained(std::function<void()> on_drained);
  bool is_terminal() const { return is_terminal_; }
  loop::Loop& loop() { return loop_; }
  size_t waiting_bytes() const { return waiting_bytes_; }

 private:
  void on_writable();
  bool takes_more() const;
  bool stands_still() const;
  void on_full();
  void be_patient();
  void on_patience_ended();
  void make_room();
  bool write_chunk();
  void on_failed(int error);
  void tell_drained();
  void watch();

  bool is_terminal_;
  loop::Loop& loop_;
  loop::WatchedFd fd_;  // opened anew where that can be done, else shared
  enum class State { kRoom, kFull, kClosed };
  State state_ = State::kRoom;
  bool held_ = false;
  std::deque<std::string> queue_;
  size_t offset_ = 0;  // of queue_.front(), already written
  size_t waiting_bytes_ = 0;
  int64_t taken_at_ms_;   // when the reader last took something
  loop::Timer patience_;  // runs while a reader that reads is waited for
  std::vector<std::function<void()>> on_drained_;
  std::function<void()> tell_full_, tell_room_;
  std::function<void(int)> tell_error_;
};

}  // namespace orch::ui
