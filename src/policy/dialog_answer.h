#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "detect/dialog.h"
#include "policy/policy_rule.h"

namespace orch::policy {

// What choosing an option would mean, read from its words alone: agents number and order them as
// they like.
enum class Meaning : uint8_t {
  kAllowOnce,
  kAllowAlways,  // also for what comes later, or for more than was asked; never chosen
  kDeny,
  kOther,  // anything else, and what is not understood
};
Meaning meaning_of(std::string_view option);

// The one option that says `answer`. Nothing when none does or several do.
std::optional<size_t> option_for(const detect::DialogView& dialog, Answer answer);

// The next key that brings about the choice of an option.
enum class DialogKey : uint8_t { kUnknown, kDigit, kUp, kDown, kLeft, kRight, kEnter };
// A numbered option is chosen by its digit. Among others the cursor is brought to it, a step at a
// time, then Enter; kUnknown when it cannot be seen where the cursor is.
DialogKey next_key(const detect::DialogView& dialog, size_t option);

}  // namespace orch::policy
