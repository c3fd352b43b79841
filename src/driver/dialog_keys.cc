#include "driver/dialog_keys.h"

namespace orch::driver {

DialogKey next_key(const detect::DialogView& dialog, size_t option) {
  constexpr size_t kMostDigits = 9;
  if (dialog.numbered && option < kMostDigits) return DialogKey::kDigit;
  if (dialog.cursor < 0) return DialogKey::kUnknown;
  const auto cursor = static_cast<size_t>(dialog.cursor);
  if (cursor == option) return DialogKey::kEnter;
  if (dialog.beside) return option > cursor ? DialogKey::kRight : DialogKey::kLeft;
  return option > cursor ? DialogKey::kDown : DialogKey::kUp;
}

}  // namespace orch::driver
