#pragma once

#include <string>

namespace orch::base {

// 128 bits that nobody can guess, as 32 hexadecimal digits.
std::string random_hex();

}  // namespace orch::base
