#pragma once

#include <string_view>

#include "base/result.h"
#include "term/screen.h"

namespace orch::options {

// Parses "120x40", columns and rows, at least 20x5; "0x0" means 120x40. An error says what to
// write.
base::Result<term::Size> parse_terminal_size(std::string_view text);

}  // namespace orch::options
