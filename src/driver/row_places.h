#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace orch::driver {

inline constexpr size_t kNewRow = SIZE_MAX;

// Where each row of `now` was in `before`, or kNewRow: what stayed is their longest common
// subsequence. Blank rows stay nowhere: they are like every other blank row.
std::vector<size_t> places_before(const std::vector<const std::string*>& before,
                                  const std::vector<const std::string*>& now);

}  // namespace orch::driver
