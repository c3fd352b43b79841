#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orch::store {

// A longer line is no record of ours, which are of a megabyte at most: somebody else wrote it. It
// is read past, with no more memory than this.
inline constexpr size_t kLongestLineBytes = size_t{8} << 20;

// Hands over the whole lines that lie between two places of a regular file, without their line
// feeds and each with the place behind its own, until `take` is false. What follows the last line
// feed is no line yet. `to` may lie beyond the end. Returns how many lines were too long, an
// unfinished one included.
base::Result<size_t> each_line(
    const std::string& path, uint64_t from, uint64_t to,
    const std::function<bool(std::string_view line, uint64_t next)>& take);

// The same, the last line first: the last few of a long file cost no more than they are.
base::Result<size_t> each_line_from_end(const std::string& path, uint64_t from, uint64_t to,
                                        const std::function<bool(std::string_view)>& take);

}  // namespace orch::store
