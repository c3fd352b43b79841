#include "wire/view_frames.h"

#include "wire/frame.h"

namespace orch::wire {
namespace {

constexpr size_t kSnapshotHeaderBytes = 5;  // flag for more, columns, rows
constexpr size_t kInputHeaderBytes = 4;     // the viewer's number
constexpr size_t kMostInputBytes = 64 << 10;

template <size_t kBytes>
void append_number(uint32_t number, std::string& out) {
  for (size_t i = 0; i < kBytes; ++i) out.push_back(static_cast<char>(number >> (8 * i) & 0xFFU));
}

template <size_t kBytes>
uint32_t number_in(std::string_view bytes) {
  uint32_t number = 0;
  for (size_t i = kBytes; i-- > 0;) number = (number << 8U) | static_cast<uint8_t>(bytes[i]);
  return number;
}

}  // namespace

std::string encode_snapshot(int cols, int rows, std::string_view bytes) {
  constexpr size_t kMost = kMaxPayloadBytes - kSnapshotHeaderBytes;
  std::string frames;
  do {
    const std::string_view part = bytes.substr(0, kMost);
    bytes.remove_prefix(part.size());
    std::string payload(1, bytes.empty() ? '\0' : '\1');
    append_number<2>(static_cast<uint32_t>(cols), payload);
    append_number<2>(static_cast<uint32_t>(rows), payload);
    frames += encode(FrameType::kSnapshot, payload.append(part));
  } while (!bytes.empty());
  return frames;
}

base::Result<Snapshot> read_snapshot(std::string_view payload) {
  if (payload.size() < kSnapshotHeaderBytes) return base::usage_error("a snapshot without a size");
  Snapshot snapshot;
  snapshot.more = payload[0] != '\0';
  snapshot.cols = static_cast<int>(number_in<2>(payload.substr(1)));
  snapshot.rows = static_cast<int>(number_in<2>(payload.substr(3)));
  snapshot.bytes = payload.substr(kSnapshotHeaderBytes);
  if (snapshot.cols == 0 || snapshot.rows == 0) return base::usage_error("a snapshot of no size");
  return snapshot;
}

std::string encode_input(uint32_t viewer, std::string_view bytes) {
  std::string frames;
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, kMostInputBytes);
    bytes.remove_prefix(part.size());
    std::string payload;
    append_number<kInputHeaderBytes>(viewer, payload);
    frames += encode(FrameType::kInput, payload.append(part));
  }
  return frames;
}

base::Result<Input> read_input(std::string_view payload) {
  if (payload.size() < kInputHeaderBytes) return base::usage_error("input of no viewer");
  return Input{number_in<kInputHeaderBytes>(payload), payload.substr(kInputHeaderBytes)};
}

}  // namespace orch::wire
