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

// Reads a recording as parse_cast does, one event after the other: of a file of any length no more
// is held than its longest line, which kMaxCastLineBytes bounds.
class CastReader {
 public:
  // Reads the header. Errors name the path. A file that is still written ends where it ends now.
  static base::Result<CastReader> open(const std::string& path);
  // The same of a regular file alone: whoever opens a pipe waits for its other end.
  static base::Result<CastReader> open_regular(const std::string& path);
  // What was read of a pipe; `name` is its name in errors.
  static base::Result<CastReader> of_bytes(std::string bytes, const std::string& name);
  ~CastReader();
  CastReader(CastReader&& other) noexcept;
  CastReader& operator=(CastReader&& other) noexcept;

  const CastHeader& header() const;
  // The next event, until the next call; nullptr: there is none.
  const CastEvent* next();
  // As those of Cast, of what was read so far.
  int64_t end_us() const;
  size_t malformed_lines() const;
  // A read that failed, behind the last event; errors name the path.
  base::Status trouble() const;

 private:
  struct Parts;
  explicit CastReader(std::unique_ptr<Parts> parts);
  static base::Result<CastReader> read_header(std::unique_ptr<Parts> parts,
                                              const std::string& path);
  std::unique_ptr<Parts> parts_;
};

inline constexpr int64_t kMaxCastUs = 1'000'000'000'000'000;  // 31 years
inline constexpr size_t kMaxCastBytes = size_t{1} << 30;      // four times the default record limit
inline constexpr size_t kMaxCastLineBytes = size_t{16} << 20;  // a longer line is malformed

}  // namespace orch::store
