#pragma once

#include <cstdint>

namespace orch::base {

// Milliseconds of the caller's clock: a run's, or a recording's.
using TimeMs = int64_t;
inline constexpr TimeMs kNever = INT64_MAX;

}  // namespace orch::base
