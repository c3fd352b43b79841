#pragma once

#include <cstddef>
#include <cstdint>

#include "detect/dialog.h"

namespace orch::driver {

// The next key that brings about the choice of an option.
enum class DialogKey : uint8_t { kUnknown, kDigit, kUp, kDown, kLeft, kRight, kEnter };

// A numbered option is chosen by its digit. Among others the cursor is brought to it, a step at a
// time, then Enter; kUnknown when it cannot be seen where the cursor is.
DialogKey next_key(const detect::DialogView& dialog, size_t option);

}  // namespace orch::driver
