#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>

namespace orch::engine {

// A whole number as engines write them: digits alone. nullopt for any other text.
inline std::optional<size_t> number_of(std::string_view text) {
  size_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || failure != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

}  // namespace orch::engine
