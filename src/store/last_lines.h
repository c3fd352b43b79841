#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orch::store {

// Hands over the whole lines that lie between two places of a regular file, the last one first,
// without their line feeds, until `take` is false: the last few of a long file cost no more than
// they are. What follows the last line feed is no line yet. `to` may lie beyond the end.
base::Status each_line_from_end(const std::string& path, uint64_t from, uint64_t to,
                                const std::function<bool(std::string_view)>& take);

}  // namespace orch::store
