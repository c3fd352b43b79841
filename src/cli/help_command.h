#pragma once

#include <cstddef>

namespace orch::cli {

// The width in which help is shown: that of the terminal, else 80.
size_t help_columns();

}  // namespace orch::cli
