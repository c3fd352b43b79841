#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orch::tape {

// What stands on a tape in place of a text that differs from run to run.
inline constexpr std::string_view kPlaceholder = "{orch:";
inline std::string placeholder(std::string_view name) {
  return std::string(kPlaceholder) + std::string(name) + "}";
}
// The length of the placeholder that the text begins with; 0 if it does not.
inline size_t placeholder_length(std::string_view text) {
  constexpr size_t kMost = 32;
  if (!text.starts_with(kPlaceholder)) return 0;
  const size_t end = text.substr(0, kMost).find('}');
  return end == std::string_view::npos ? 0 : end + 1;
}

}  // namespace orch::tape
