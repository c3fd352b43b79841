#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

// What passes over a session's socket: frames of four bytes payload length (little-endian), one
// byte type, payload. Clients send requests and what is typed, the host sends everything else.
namespace orch::wire {

enum class FrameType : uint8_t {
  kRequest = 'q',
  kAnswer = 'a',
  kEvent = 'e',     // one record as in events.jsonl, without its line feed
  kRaw = 'r',       // the agent's output as it came
  kLagged = 'l',    // a follower missed something
  kEnd = 'x',       // the session has ended: its result; the host closes after it
  kSnapshot = 's',  // to a viewer: the screen as it is (wire/view_frames.h)
  kInput = 'i',     // from a viewer: what it types
};

// Raw output, snapshots and input are bytes; all other payloads are JSON.
bool is_json(FrameType type);

inline constexpr size_t kFrameHeaderBytes = 5;
inline constexpr size_t kMaxPayloadBytes = 1 << 20;

struct Frame {
  FrameType type = FrameType::kRequest;
  std::string payload;
  bool operator==(const Frame&) const = default;
};

// One frame; the payload is at most kMaxPayloadBytes.
std::string encode(FrameType type, std::string_view payload);

// Cuts a stream of bytes, fed in any split, into frames. Holds at most the frames not yet taken and
// the beginning of one.
class Decoder {
 public:
  void feed(std::string_view bytes);

  // The next whole frame; nothing when more bytes are needed. An unknown type, a payload that is
  // too long, or one that should be JSON and is not: an error, and the same one from then on.
  base::Result<std::optional<Frame>> next();

  // Whether a frame has begun of which the rest has not come. To be asked when next() has nothing.
  bool mid_frame() const { return start_ < buffer_.size(); }

 private:
  std::string buffer_;
  size_t start_ = 0;  // taken up to here
  std::optional<base::Error> error_;
};

}  // namespace orch::wire
