#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orch::store {

// orch's own lines have a megabyte at most. A line longer than this is skipped, without using more
// memory than this.
inline constexpr size_t kLongestLineBytes = size_t{8} << 20;

// Passes the complete lines between two offsets of a regular file to `take`, without their line
// feeds and each with the offset of the next line, until `take` returns false. Text after the last
// line feed is not a line yet. `to` may lie beyond the end. Returns how many lines were too long,
// including an unfinished one.
base::Result<size_t> each_line(
    const std::string& path, uint64_t from, uint64_t to,
    const std::function<bool(std::string_view line, uint64_t next)>& take);

// The same from the last line to the first: reading the last few lines of a long file is cheap.
base::Result<size_t> each_line_from_end(const std::string& path, uint64_t from, uint64_t to,
                                        const std::function<bool(std::string_view)>& take);

}  // namespace orch::store
