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

// How many bytes are kept for a reader that has stopped reading, before the agents have to wait for
// it.
inline constexpr size_t kMostWaitingBytes = 8 << 20;
// How many bytes are kept for a reader that reads, but more slowly than the agents speak. The limit
// is lower, so that the reader does not get old output.
inline constexpr size_t kMostBehindBytes = 512 << 10;
// A reader that has taken nothing for this long has stopped reading.
inline constexpr int64_t kStandsStillMs = 100;

// Standard output for a program that must never wait for its reader: bytes that the reader does not
// take now are kept and follow in order. The stream ends when the reader closes its end or a write
// fails.
class OutputStream {
 public:
  OutputStream(loop::Loop& loop, int fd);  // fd is not owned; its blocking mode is left as it is

  void write(std::string bytes);
  // Writes as much as the reader takes without waiting. Call it before writing to another stream,
  // to keep the order right.
  void flush();
  // Until release() nothing is given to the reader, as if it had stopped reading.
  void hold();
  void release();
  // Drops the bytes that the reader has not taken yet, including the rest of a write that it has
  // taken in part, and the callbacks that wait for the stream to drain.
  void discard();
  // From now on `on_full` is called when more bytes wait than are allowed, and `on_room` when there
  // is room again: when only half of kMostBehindBytes wait, or the reader is gone, or it has
  // stopped reading and the waiting bytes fit into kMostWaitingBytes. Either may be called from
  // inside write() and flush().
  void watch_fill(std::function<void()> on_full, std::function<void()> on_room);
  // `on_error` is called once, with the errno, when a write fails although the reader is not gone:
  // from inside flush() or the loop. By then the waiting bytes have been dropped; later ones are
  // dropped, too.
  void watch_error(std::function<void(int)> on_error) { tell_error_ = std::move(on_error); }
  // Calls on_drained once, when the reader has taken everything or is gone; at once if it already
  // has.
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
  loop::WatchedFd fd_;  // opened anew where possible, otherwise shared with others
  enum class State { kRoom, kFull, kClosed };
  State state_ = State::kRoom;
  bool held_ = false;
  std::deque<std::string> queue_;
  size_t offset_ = 0;  // how much of queue_.front() is written already
  size_t waiting_bytes_ = 0;
  int64_t taken_at_ms_;   // when the reader last took something
  loop::Timer patience_;  // while the stream is full: checks whether the reader has stopped
  std::vector<std::function<void()>> on_drained_;
  std::function<void()> tell_full_, tell_room_;
  std::function<void(int)> tell_error_;
};

}  // namespace orch::ui
