#pragma once

#include <cstddef>

namespace orch::cli {

// The width for help texts: the terminal's, otherwise 80.
size_t help_columns();

}  // namespace orch::cli
