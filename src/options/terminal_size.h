#pragma once

#include <string_view>

#include "base/result.h"
#include "term/screen.h"

namespace orch::options {

// "120x40": columns and rows, from 20x5 on; "0x0" is 120x40. The error says what to write.
base::Result<term::Size> parse_terminal_size(std::string_view text);

}  // namespace orch::options
