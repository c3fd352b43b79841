#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace orch::cli {

// "4096", "64K", "256M", "2G" (powers of 1024) in bytes, more than 0.
base::Result<int64_t> parse_size_in_bytes(std::string_view text);

}  // namespace orch::cli
