#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapters/manifest.h"
#include "term/keys.h"

namespace orch::driver {

// Cuts `text` into pieces that are no larger than `size`. A piece ends after a line feed, otherwise
// after a blank, otherwise between two characters as a reader sees them: an accent stays with its
// letter, and the parts of an emoji or a flag stay together. A character that is larger than a
// piece may be is a piece of its own. The pieces point into `text`.
std::vector<std::string_view> pieces_of(std::string_view text, const adapters::PasteSpec& size);

// The bytes that type a normalised text. If pastes are bracketed, each piece is a paste of its own;
// otherwise the text is typed as it is.
std::string typed_bytes(std::string_view text, const adapters::PasteSpec& size,
                        term::PasteMode mode);

}  // namespace orch::driver
