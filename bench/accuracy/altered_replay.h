#pragma once

#include <array>
#include <string_view>

#include "accuracy/recordings.h"
#include "accuracy/score.h"

namespace orch::accuracy {

// What an agent's next version might draw otherwise without a word changed: a row is added to each
// screen. Where the place that it names is not on the screen, the screen stays as it is, but is one
// row taller.
enum class Alteration : uint8_t {
  kNone,              // nothing, in a terminal of the same size: to check the replay itself
  kTaller,            // ten rows of the terminal under all that is drawn
  kStatusRow,         // a row of text under all that is drawn
  kHintRow,           // likewise, and the user's words in it are those that agents' hints have
  kBlankAboveBox,     // a blank row
  kBlankUnderBox,     // likewise
  kBlankAboveDialog,  // between the transcript and the dialog
  kBlankInDialog,     // between the options and the footer
};
inline constexpr std::array kAlterations = {
    Alteration::kTaller,        Alteration::kStatusRow,     Alteration::kHintRow,
    Alteration::kBlankAboveBox, Alteration::kBlankUnderBox, Alteration::kBlankAboveDialog,
    Alteration::kBlankInDialog,
};
std::string_view name(Alteration alteration);  // "a blank row above the box"

// The statuses that the agent's rules find in a recording of which every screen is altered so. The
// detector alone reads it: statuses do not depend on the transcript or on messages.
Timeline altered_timeline(const store::Cast& cast, const detect::RuleSet& rules,
                          Alteration alteration);

}  // namespace orch::accuracy
