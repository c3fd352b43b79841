#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapters/manifest.h"
#include "term/keys.h"

namespace orch::driver {

// Cuts `text` into pieces of at most `max_bytes` bytes. A piece ends after a line feed or a blank
// if there is one in its second half, otherwise between two characters as a reader sees them: an
// accent stays with its letter, and the parts of an emoji or a flag stay together. A character that
// is larger than a piece may be is a piece of its own. The pieces point into `text`.
std::vector<std::string_view> pieces_of(std::string_view text, size_t max_bytes);

// The bytes that type a normalised text: as keys if the manifest says so, otherwise as one paste,
// or, if pastes are not bracketed, as it is.
std::string typed_bytes(std::string_view text, const adapters::KeysSpec& keys,
                        term::PasteMode mode);

}  // namespace orch::driver
