#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

// The protocol of a session's socket: frames of four bytes for the payload's length
// (little-endian), one byte for the type, and the payload. Clients send requests and input; the
// host sends everything else.
namespace orch::wire {

enum class FrameType : uint8_t {
  kRequest = 'q',
  kAnswer = 'a',
  kEvent = 'e',     // one record of events.jsonl, without its line feed
  kRaw = 'r',       // the agent's output, unchanged
  kLagged = 'l',    // a follower has missed something
  kEnd = 'x',       // the session has ended: its result; after it the host closes the connection
  kSnapshot = 's',  // to a viewer: its whole screen (wire/view_frames.h)
  kInput = 'i',     // from a viewer: typed bytes
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

// The bytes of a frame; the payload must have at most kMaxPayloadBytes.
std::string encode(FrameType type, std::string_view payload);

// Splits a stream of bytes, in pieces of any size, into frames. Holds only the frames that were not
// taken yet and the beginning of the next.
class Decoder {
 public:
  void feed(std::string_view bytes);

  // The next whole frame; nullopt if more bytes are needed. It is an error if the type is unknown,
  // or the payload is too long, or should be JSON but is not; that error is returned from then on.
  base::Result<std::optional<Frame>> next();

  // Whether the beginning of a frame has come, but not its rest. Ask this after next() has returned
  // nullopt.
  bool mid_frame() const { return start_ < buffer_.size(); }

 private:
  std::string buffer_;
  size_t start_ = 0;  // the bytes before this are taken
  std::optional<base::Error> error_;
};

}  // namespace orch::wire
