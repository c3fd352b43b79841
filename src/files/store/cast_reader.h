#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/cast.h"

namespace orch::store {

struct Cast {
  CastHeader header;
  std::vector<CastEvent> events;  // their times never go backwards
  // When the recording ended: the header's duration, but not before the last event. A recording may
  // be silent at its end; the timers of a replay run up to this.
  int64_t end_us = 0;
  // Lines that are not events, not counting an incomplete last line (of a recorder that was
  // killed).
  size_t malformed_lines = 0;
};

// Parses asciicast v2 or v3. Never fails for any bytes but those whose first line is not a header,
// which is one usage error, and takes linear time. Blank lines, comments (#), malformed lines and
// events of unknown kinds are skipped; times are clamped to 0..kMaxCastUs and do not go backwards.
// Pure.
base::Result<Cast> parse_cast(std::string_view bytes);

// Reads a recording from a file; errors name the path. Files of more than kMaxCastBytes are
// refused.
base::Result<Cast> read_cast(const std::string& path);

// Reads a recording like parse_cast(), but event by event: of a file of any length only the longest
// line is in memory, which kMaxCastLineBytes limits.
class CastReader {
 public:
  // Opens a file that the user has named (input.h) and reads the header. Errors name the path. A
  // file that is still being written ends where it ends now.
  static base::Result<CastReader> open(const std::string& path);
  // The same for a regular file only, because opening a pipe may block.
  static base::Result<CastReader> open_regular(const std::string& path);
  // For bytes that were read from a pipe; `name` stands for the path in errors.
  static base::Result<CastReader> of_bytes(std::string bytes, const std::string& name);
  ~CastReader();
  CastReader(CastReader&& other) noexcept;
  CastReader& operator=(CastReader&& other) noexcept;

  const CastHeader& header() const;
  // The next event, valid until the next call; nullptr after the last.
  const CastEvent* next();
  // As in Cast, but only about the lines read so far.
  int64_t end_us() const;
  size_t malformed_lines() const;
  // The error of a failed read, to be checked after the last event; it names the path. A line of
  // more than kMaxCastBytes is one, so that an endless file comes to an end.
  base::Status trouble() const;

 private:
  struct Parts;
  explicit CastReader(std::unique_ptr<Parts> parts);
  static base::Result<CastReader> read_header(std::unique_ptr<Parts> parts,
                                              const std::string& path);
  std::unique_ptr<Parts> parts_;
};

inline constexpr int64_t kMaxCastUs = 1'000'000'000'000'000;  // 31 years, in microseconds
inline constexpr size_t kMaxCastBytes = size_t{1} << 30;      // four times the default record limit
inline constexpr size_t kMaxCastLineBytes = size_t{16} << 20;  // a longer line is malformed

}  // namespace orch::store
