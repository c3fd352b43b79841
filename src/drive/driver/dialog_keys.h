#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "detect/dialog.h"

namespace orch::driver {

// A key that is typed into a dialog to choose an option. kOwn: the one that the dialog names for it
// (DialogView::keys).
enum class DialogKey : uint8_t {
  kUnknown,
  kDigit,
  kUp,
  kDown,
  kLeft,
  kRight,
  kSpace,
  kEnter,
  kOwn
};

// The next key on the way to choosing the option. An option with a key of its own is chosen by
// that, a numbered one (up to the ninth) by its digit. Otherwise the cursor is moved to the option
// step by step, and then Enter chooses it; kUnknown if the position of the cursor cannot be seen.
DialogKey next_key(const detect::DialogView& dialog, size_t option);

// The next key on the way to a set of ticked options. The cursor is moved to the first tick box
// that differs from `wanted` (indices of the options to be ticked), and Space turns it. When none
// differs, Enter is typed on the button. kUnknown if the cursor cannot be seen, or if there is no
// button.
DialogKey next_key_in_set(const detect::DialogView& dialog, const std::vector<size_t>& wanted);

// Where the cursor is, counted in rows that it can stand on: options and the button; -1 if it
// cannot be seen.
int cursor_place(const detect::DialogView& dialog);

}  // namespace orch::driver
