#include "driver/dialog_keys.h"

#include <algorithm>
#include <optional>

namespace orch::driver {
namespace {

int place_of(const detect::DialogView& dialog, size_t option) {
  const bool below = dialog.button && dialog.button->above <= option;
  return static_cast<int>(option) + (below ? 1 : 0);
}

// The arrow that brings the cursor nearer to this place; nullopt if it is there.
std::optional<DialogKey> arrow_to(const detect::DialogView& dialog, int place) {
  const int cursor = cursor_place(dialog);
  if (cursor < 0) return DialogKey::kUnknown;
  if (cursor == place) return std::nullopt;
  if (dialog.beside) return place > cursor ? DialogKey::kRight : DialogKey::kLeft;
  return place > cursor ? DialogKey::kDown : DialogKey::kUp;
}

}  // namespace

int cursor_place(const detect::DialogView& dialog) {
  if (dialog.button && dialog.button->cursor) return static_cast<int>(dialog.button->above);
  return dialog.cursor < 0 ? -1 : place_of(dialog, static_cast<size_t>(dialog.cursor));
}

DialogKey next_key(const detect::DialogView& dialog, size_t option) {
  constexpr size_t kMostDigits = 9;
  if (option < dialog.keys.size()) return DialogKey::kOwn;
  if (dialog.numbered && option < kMostDigits) return DialogKey::kDigit;
  return arrow_to(dialog, place_of(dialog, option)).value_or(DialogKey::kEnter);
}

DialogKey next_key_in_set(const detect::DialogView& dialog, const std::vector<size_t>& wanted) {
  if (!dialog.button) return DialogKey::kUnknown;
  for (size_t i = 0; i < dialog.ticks.size(); ++i) {
    const bool tick = std::find(wanted.begin(), wanted.end(), i) != wanted.end();
    if (!dialog.ticks[i] || *dialog.ticks[i] == tick) continue;
    return arrow_to(dialog, place_of(dialog, i)).value_or(DialogKey::kSpace);
  }
  const auto button = static_cast<int>(dialog.button->above);
  return arrow_to(dialog, button).value_or(DialogKey::kEnter);
}

}  // namespace orch::driver
