#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace orch::driver {

inline constexpr size_t kNewRow = SIZE_MAX;

// A hash of the text of a row. That different texts share one is too unlikely to matter. 0: the row
// is blank.
uint64_t row_hash(std::string_view text);

// Sets `places`, for each row of `now`, to its index in `before`, or to kNewRow; rows are given by
// their hashes. The rows that stayed are the longest common subsequence of both. A blank row is
// always new, because it equals every other blank row.
void find_places(std::span<const uint64_t> before, std::span<const uint64_t> now,
                 std::vector<size_t>& places);

}  // namespace orch::driver
