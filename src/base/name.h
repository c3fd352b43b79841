#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace orch::base {

// Names of issues, agents and tasks stand in paths, in names of sockets and on command lines:
// [A-Za-z0-9][A-Za-z0-9_-]*.
inline constexpr size_t kMaxName = 64;
bool is_name(std::string_view text, size_t most = kMaxName);

// The one of `known` that somebody who wrote `word` may have meant; "" when none is like it.
std::string_view nearest_name(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace orch::base
