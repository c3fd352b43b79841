#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace orch::driver {

inline constexpr size_t kNewRow = SIZE_MAX;

// For each row of `now`, its index in `before`, or kNewRow. The rows that stayed are the longest
// common subsequence of both. A blank row is always new, because it equals every other blank row.
std::vector<size_t> places_before(const std::vector<const std::string*>& before,
                                  const std::vector<const std::string*>& now);

}  // namespace orch::driver
