#pragma once

#include <string_view>

#include "agent/dialog_request.h"

namespace orch::driver {

// The meaning of an option, read from its words alone.
agent::Meaning meaning_of(std::string_view option);

// The same in a dialog that asks what to do about a usage limit. To stop, or to wait for the limit
// to end, means kDeny. Every other option may cost money and is kOther, so that no policy chooses
// it.
agent::Meaning meaning_at_limit(std::string_view option);

// Whether the option denies and leads back to the prompt, where the user gives other instructions.
bool wants_words(std::string_view option);

}  // namespace orch::driver
