#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::store {

// A terminal recording as values: asciicast v2, https://docs.asciinema.org/manual/asciicast/v2/
// (v3 is read too). The format holds text: bytes that are not UTF-8 are lost to U+FFFD when
// written.

struct CastHeader {
  int version = 2;
  int cols = 0, rows = 0;  // read: 1 to kMaxCastSize each
  int64_t timestamp = 0;   // Unix seconds of the start; 0 when not known
  std::string title;
  std::string agent;          // "orch": {"agent": ..}; "" in a recording of another tool
  std::string agent_version;  // "orch": {"version": ..}
  bool resumed = false;       // "orch": {"resumed": true}: begins with an earlier conversation
  std::vector<std::pair<std::string, std::string>> env;
  std::optional<int64_t> duration_us;  // only in recordings of other tools that were finished
  bool operator==(const CastHeader&) const = default;
};
inline constexpr int kMaxCastSize = 65535;  // struct winsize holds unsigned shorts

enum class CastKind : uint8_t {
  kOutput,  // output of the application
  kInput,   // typed input
  kResize,  // "COLSxROWS", see parse_cast_size
  kMarker,
  kExit,  // v3: the exit status as a decimal number
};

struct CastEvent {
  int64_t us = 0;  // microseconds since the start of the recording
  CastKind kind = CastKind::kOutput;
  std::string data;
  bool operator==(const CastEvent&) const = default;
};

struct CastSize {
  int cols = 0, rows = 0;
  bool operator==(const CastSize&) const = default;
};

// Parses the data of a resize event; nullopt if it is not two numbers from 1 to kMaxCastSize.
std::optional<CastSize> parse_cast_size(std::string_view data);

}  // namespace orch::store
