#pragma once

#include <string_view>

#include "agent/dialog_request.h"

namespace orch::driver {

// What choosing an option would mean, read from its words alone.
agent::Meaning meaning_of(std::string_view option);

// The same in a dialog that asks what to do about a limit: to stop, or to wait until it ends, is to
// deny. Everything else may cost money and means nothing that a policy could choose.
agent::Meaning meaning_at_limit(std::string_view option);

// Whether it leads back to the prompt, where the agent is to be told what to do instead.
bool wants_words(std::string_view option);

}  // namespace orch::driver
