#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

// The frames to and from viewers that are not JSON. Numbers are little-endian.
namespace orch::wire {

// Brings a fresh terminal of this size to the state of the agent's terminal; raw frames continue
// from there. A viewer gets a snapshot when it attaches, when the size has changed, and in place of
// output that it has missed.
struct Snapshot {
  int cols = 0, rows = 0;
  bool more = false;       // the bytes continue in the next frame, which is a snapshot frame, too
  std::string_view bytes;  // points into the payload that was read
};
// All frames of one snapshot; no other frame may be sent between them.
std::string encode_snapshot(int cols, int rows, std::string_view bytes);
base::Result<Snapshot> read_snapshot(std::string_view payload);

// Input from a viewer.
struct Input {
  uint32_t viewer = 0;     // the number that the host gave it when it attached
  std::string_view bytes;  // points into the payload that was read
};
// Returns as many frames as are needed.
std::string encode_input(uint32_t viewer, std::string_view bytes);
base::Result<Input> read_input(std::string_view payload);

}  // namespace orch::wire
