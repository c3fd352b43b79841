#pragma once

#include <cstdint>

namespace orch::base {

// Milliseconds since the start of a run or of a recording, by its caller's clock.
using TimeMs = int64_t;
inline constexpr TimeMs kNever = INT64_MAX;

}  // namespace orch::base
