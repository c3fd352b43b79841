#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/cast.h"

namespace orch::store {

struct Cast {
  CastHeader header;
  std::vector<CastEvent> events;  // times never go backwards
  // When the recording ended: the header's duration, at the earliest the last event. A recording
  // may be silent at its end; timers of a replay run on to here.
  int64_t end_us = 0;
  // Lines that are no event, apart from a torn last line (a recorder that was killed).
  size_t malformed_lines = 0;
};

// Reads asciicast v2 or v3. Total and linear: any bytes give a Cast or, where the first line is not
// a header, one usage error. Blank lines, comments (#) and events of unknown kinds are skipped,
// malformed lines too; times are clamped to 0..kMaxCastUs and to the event before. Pure.
base::Result<Cast> parse_cast(std::string_view bytes);

// The same of a file; errors name the path. Files of more than kMaxCastBytes are refused.
base::Result<Cast> read_cast(const std::string& path);

inline constexpr int64_t kMaxCastUs = 1'000'000'000'000'000;  // 31 years
inline constexpr size_t kMaxCastBytes = size_t{1} << 30;      // four times the default record limit

}  // namespace orch::store
