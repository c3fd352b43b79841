#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"

namespace orch::fence {

using base::is_within;

// The path without symbolic links; nothing when there is no such file.
std::optional<std::string> resolved(const std::string& path);

// Files and folders that together hold everything but `left_out` (resolved paths): every folder
// above one of those is taken apart. Symbolic links are none of them: what they lead to is.
std::vector<std::string> all_but(const std::vector<std::string>& left_out);

}  // namespace orch::fence
