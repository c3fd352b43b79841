#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orch::cli {

// "90s", "10m", "2h", "1h30m", "500ms"; a number alone is seconds. In milliseconds, more than 0.
base::Result<int64_t> parse_duration(std::string_view text);

// How long something has lasted, for people: "12s", "3m05s", "2h10m", "3d04h".
std::string elapsed_text(int64_t ms);

}  // namespace orch::cli
