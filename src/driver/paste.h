#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapters/manifest.h"
#include "term/keys.h"

namespace orch::driver {

// `text` cut into pieces that are no larger than `size`. A piece ends behind a line's end, else
// behind a blank, else between two characters as a reader sees them: an accent stays with its
// letter, the parts of an emoji or a flag with each other. One such character that is larger than a
// piece may be is a piece of its own.
std::vector<std::string_view> pieces_of(std::string_view text, const adapters::PasteSpec& size);

// The bytes that type a normalised text: every piece a paste of its own where the terminal marks
// pastes, else the text as it is.
std::string typed_bytes(std::string_view text, const adapters::PasteSpec& size,
                        term::PasteMode mode);

}  // namespace orch::driver
