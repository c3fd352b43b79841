#pragma once

#include <string>

namespace orch::base {

// 128 random bits that cannot be guessed, as 32 hexadecimal digits.
std::string random_hex();

}  // namespace orch::base
