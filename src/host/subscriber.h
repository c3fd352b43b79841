#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "host/controlled_session.h"
#include "loop/stream.h"
#include "wire/frame.h"

namespace orch::host {

// How much is kept for a follower that does not read as fast as the session writes.
inline constexpr size_t kMaxQueuedBytes = 256 << 10;

// What one follower is sent, at the pace at which it reads: the session record, then what happens
// from now on. One that falls behind by more than kMaxQueuedBytes is sent nothing until it has read
// the frame that was begun; then it is told which part of events.jsonl holds what it missed, and is
// live again. A viewer follows the raw output from a snapshot on, and gets another one in place of
// what it missed. Nobody ever waits for either.
class Subscriber {
 public:
  struct Wanted {
    bool events = false;
    bool raw = false;
    bool snapshots = false;  // a viewer's
  };
  // `stream` outlives the subscriber, and so does `session` up to part().
  Subscriber(loop::Stream& stream, const ControlledSession& session, Wanted wanted);

  void begin();  // tells the session record to one that wants events, the screen to a viewer

  bool wants(wire::FrameType type) const;
  // An encoded event or raw frame that it wants; `offset` is the size of events.jsonl before it.
  void offer(const std::string& frame, uint64_t offset);
  void miss(uint64_t offset);  // an event that is too long for a frame
  void on_screen_replaced();   // to a viewer it is shown anew
  void on_drained();           // of the stream
  void part();                 // nothing more will be offered: tells now what was missed

 private:
  enum class Pace : uint8_t { kLive, kLagging };

  void fall_behind(uint64_t offset);
  void count_dropped(std::string_view frame);
  void tell_lagged();

  loop::Stream& stream_;
  const ControlledSession& session_;
  Wanted wanted_;
  Pace pace_ = Pace::kLive;
  uint64_t gap_from_ = 0;       // in events.jsonl, when lagging
  uint64_t dropped_bytes_ = 0;  // raw ones, not yet told
};

}  // namespace orch::host
