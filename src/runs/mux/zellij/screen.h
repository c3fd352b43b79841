#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orch::mux::zellij {

// The bytes that draw a dumped screen of `rows` rows over everything drawn before. Pure.
std::string drawing(std::string_view dump, int rows);

// The rows of a line that `subscribe` prints, each with a line feed; nullopt: the line has none.
std::optional<std::string> rows_of(std::string_view update);

}  // namespace orch::mux::zellij
