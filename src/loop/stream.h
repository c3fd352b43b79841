#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "loop/life.h"
#include "loop/watched_fd.h"

namespace orch::loop {

class Loop;

// A connected stream socket. Reads incoming bytes and writes queued ones, never blocks, never
// raises SIGPIPE, and has no timers: while nothing happens, nothing wakes up. Keeps Loop::run()
// running until the peer has closed, or until it is destroyed.
class Stream {
 public:
  // Called from the loop only, never from inside a member function; each may destroy the stream.
  struct Callbacks {
    std::function<void(std::string_view bytes)> on_data;
    std::function<void()> on_closed;  // closed by the peer, or broken; the last call
    // The queue is empty and the peer takes more: called after writes that had to wait, and after
    // drop_unstarted(). Also once when the peer takes no more for ever, in case the owner has
    // paused reading until then.
    std::function<void()> on_drained;
  };
  Stream(Loop& loop, base::Fd socket, Callbacks callbacks);  // `socket` has to be non-blocking
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Queues bytes, to be sent in order. If the peer is gone they are lost; on_closed reports that.
  void write(std::string bytes);
  // The same for bytes that drop_unstarted() may take back, with their `mark`.
  void write_droppable(std::string bytes, uint64_t mark);
  // Takes back, in order, the droppable writes that were not begun yet.
  struct Dropped {
    std::string bytes;
    uint64_t mark;
  };
  std::vector<Dropped> drop_unstarted();
  size_t queued_bytes() const { return queued_bytes_; }  // not yet taken by the system
  // Ends the output after the queued bytes; no more may be written.
  void finish_writing();

  void pause_reading();  // until resume_reading(); before that the peer's end may be reported late
  void resume_reading();

 private:
  enum class Writing : uint8_t {
    kIdle,
    kDue,      // bytes are queued, to be sent in the next turn of the loop
    kBlocked,  // the system takes no more for now
    kBroken,   // the peer takes no more for ever; its own bytes are still read
    kClosed,   // on_closed was called
  };
  struct Chunk {
    std::string bytes;
    std::optional<uint64_t> mark;  // set if it is droppable
  };

  void push(Chunk chunk);
  void send_queued();
  bool send_some();
  void take_sent(size_t count);
  void on_ready(int ready);
  void on_writable();
  void on_readable();
  void watch();

  WatchedFd socket_;
  Callbacks callbacks_;
  std::deque<Chunk> queue_;
  size_t first_sent_ = 0;  // bytes of the first chunk that were sent
  size_t queued_bytes_ = 0;
  Writing writing_ = Writing::kIdle;
  bool reading_ = true;
  bool break_told_ = false;  // on_drained was called since writing is broken
  bool finishing_ = false;   // shut down for writing after the last byte
  Life life_;
};

}  // namespace orch::loop
