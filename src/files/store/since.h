#pragma once

#include <string_view>

#include "base/result.h"
#include "store/time_text.h"

namespace orch::store {

// The moment that a word means at the time `now`: "12h", "3d", "1w" or "90m" ago, "today" and
// "yesterday" from midnight on, "2026-11-27", and "2026-11-27T18:00" with or without seconds. Days
// and hours of the clock are those of the local time zone, unless the time ends with Z. Every other
// word, and a moment in the future, is kUsage with the forms to write.
base::Result<TimePoint> moment_of(std::string_view word, TimePoint now);

}  // namespace orch::store
