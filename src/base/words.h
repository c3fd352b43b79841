#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace orch::base {

// The values of an enum, each with the word for it in files, events and messages.
template <typename Enum, size_t N>
using Words = std::array<std::pair<Enum, std::string_view>, N>;

// The word of a value; "" if it has none.
template <typename Enum, size_t N>
constexpr std::string_view word_of(const Words<Enum, N>& words, Enum value) {
  for (const auto& [known, word] : words) {
    if (known == value) return word;
  }
  return {};
}

template <typename Enum, size_t N>
constexpr std::optional<Enum> value_of(const Words<Enum, N>& words, std::string_view word) {
  for (const auto& [value, known] : words) {
    if (known == word) return value;
  }
  return std::nullopt;
}

}  // namespace orch::base
