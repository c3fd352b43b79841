#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace orch::base {

// "90s", "10m", "2h", "1h30m", "500ms"; a number alone is seconds. In milliseconds, more than 0.
Result<int64_t> parse_duration(std::string_view text);
// The same of how long ago something was, which may be just now: "0s".
Result<int64_t> parse_age(std::string_view text);

}  // namespace orch::base
