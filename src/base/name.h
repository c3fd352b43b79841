#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orch::base {

// Names of issues, agents and tasks become part of paths, of socket names and of command lines:
// [A-Za-z0-9][A-Za-z0-9_-]*.
inline constexpr size_t kMaxName = 64;
bool is_name(std::string_view text, size_t most = kMaxName);

// "42" for "#42", as issues are often written; anything else as it is.
std::string without_number_sign(std::string word);

// The name among `known` that the user may have meant by `word`; "" if none is similar.
std::string_view nearest_name(std::string_view word, const std::vector<std::string_view>& known);

// For the end of an error: "; did you mean run?", or "" if none of `known` is similar.
std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace orch::base
