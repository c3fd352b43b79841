#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace orch::base {

// Parses "90s", "10m", "2h", "1h30m" or "500ms". Returns milliseconds, more than 0.
Result<int64_t> parse_duration(std::string_view text);
// The same for the age of something, which may be 0: "0s" or "0".
Result<int64_t> parse_age(std::string_view text);

}  // namespace orch::base
