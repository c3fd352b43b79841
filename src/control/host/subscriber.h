#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "host/controlled_session.h"
#include "loop/stream.h"
#include "wire/frame.h"

namespace orch::host {

// How many bytes are kept for a follower that does not read as fast as the session writes.
inline constexpr size_t kMaxQueuedBytes = 256 << 10;

// Sends one follower the frames that it wants, as fast as it reads: the session record, then events
// and output from now on. A follower that falls behind by more than kMaxQueuedBytes is sent nothing
// until it has read the frame that was begun; then it learns which part of events.jsonl it has
// missed, and is live again. A viewer gets a snapshot and then the raw output, and another snapshot
// in place of missed output. Neither ever holds up the session.
class Subscriber {
 public:
  struct Wanted {
    bool events = false;
    bool raw = false;
    bool snapshots = false;  // for a viewer
  };
  // `stream` outlives this; `session` has to live until part().
  Subscriber(loop::Stream& stream, const ControlledSession& session, Wanted wanted);

  void begin();  // sends the session record if events are wanted, the screen to a viewer

  bool wants(wire::FrameType type) const;
  // An encoded event or raw frame that is wanted; `offset` is the size of events.jsonl before it.
  void offer(const std::string& frame, uint64_t offset);
  void miss(uint64_t offset);  // an event that is too long for a frame
  void on_screen_replaced();   // sends a viewer a new snapshot
  void on_drained();           // the stream has written everything
  void part();                 // the end: reports what was dropped

 private:
  enum class Pace : uint8_t { kLive, kLagging };

  void fall_behind(uint64_t offset);
  void count_dropped(std::string_view frame);
  void tell_lagged();

  loop::Stream& stream_;
  const ControlledSession& session_;
  Wanted wanted_;
  Pace pace_ = Pace::kLive;
  uint64_t gap_from_ = 0;       // offset in events.jsonl, if lagging
  uint64_t dropped_bytes_ = 0;  // of raw output, not reported yet
};

}  // namespace orch::host
