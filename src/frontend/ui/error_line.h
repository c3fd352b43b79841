#pragma once

#include "base/result.h"

namespace orch::ui {

// Prints the one line on stderr that a command which could not do its work leaves behind. Returns
// its exit code (2, 125, 126 or 127).
int report(const base::Error& error);

}  // namespace orch::ui
