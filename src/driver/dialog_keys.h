#pragma once

#include <cstddef>
#include <cstdint>

#include "detect/dialog.h"

namespace orch::driver {

// A key that is typed into a dialog to choose an option.
enum class DialogKey : uint8_t { kUnknown, kDigit, kUp, kDown, kLeft, kRight, kEnter };

// The next key on the way to choosing the option. A numbered option (up to the ninth) is chosen by
// its digit. Otherwise the cursor is moved to the option step by step, and then Enter chooses it;
// kUnknown if the position of the cursor cannot be seen.
DialogKey next_key(const detect::DialogView& dialog, size_t option);

}  // namespace orch::driver
