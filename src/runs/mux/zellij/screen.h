#pragma once

#include <string>
#include <string_view>

namespace orch::mux::zellij {

// The bytes that draw a dumped screen of `rows` rows over everything drawn before. Pure.
std::string drawing(std::string_view dump, int rows);

}  // namespace orch::mux::zellij
