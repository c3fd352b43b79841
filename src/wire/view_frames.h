#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

// The frames of a viewer that are no JSON. Numbers are little-endian.
namespace orch::wire {

// What brings a fresh terminal of this size to what the agent's shows; raw frames go on from there.
// A viewer gets one when it attaches, when the size has changed, and in place of what it missed.
struct Snapshot {
  int cols = 0, rows = 0;
  bool more = false;       // the bytes go on in the next frame, which is a snapshot's, too
  std::string_view bytes;  // of the payload that was read
};
// All frames of one snapshot, to be sent without another between them.
std::string encode_snapshot(int cols, int rows, std::string_view bytes);
base::Result<Snapshot> read_snapshot(std::string_view payload);

// What a viewer types.
struct Input {
  uint32_t viewer = 0;     // as the host has named it when it attached
  std::string_view bytes;  // of the payload that was read
};
std::string encode_input(uint32_t viewer, std::string_view bytes);  // in as many frames as it takes
base::Result<Input> read_input(std::string_view payload);

}  // namespace orch::wire
