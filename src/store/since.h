#pragma once

#include <string_view>

#include "base/result.h"
#include "store/time_text.h"

namespace orch::store {

// The moment that a person means by a word, seen from `now`: "12h", "3d", "1w" or "90m" ago,
// "today" and "yesterday" from midnight on, "2026-11-27", and "2026-11-27T18:00" with or without
// seconds. Days and hours of the clock are those of the local time zone, unless the time ends with
// Z. kUsage, with what to write, for every other word, and for a moment in the future.
base::Result<TimePoint> moment_of(std::string_view word, TimePoint now);

}  // namespace orch::store
